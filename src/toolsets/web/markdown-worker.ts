import { answerJob } from '../worker/answer-job.ts';
import { htmlToMarkdown, type HtmlPage } from './html-to-markdown.ts';

// Hostile pages can keep a parser busy for minutes, so it runs on a thread that can be stopped.
void answerJob((input) => htmlToMarkdown(input as HtmlPage));
