import { readFileSync } from 'node:fs';
import { writeTempFile } from '../../files/temp-folder.ts';
import { answerOf } from '../worker/job-answer.ts';
import { htmlToMarkdown, type HtmlPage } from './html-to-markdown.ts';
import { readJson } from '../../core/read-json.ts';

// Program run in a sandbox: reads a page from the file named first, writes the answer to the second.
const [, , input = '', output = ''] = process.argv;
const answer = await answerOf(() => htmlToMarkdown(readJson(readFileSync(input, 'utf8')) as HtmlPage));
writeTempFile(output, JSON.stringify(answer));
