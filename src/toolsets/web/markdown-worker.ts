import { answerParent } from '../worker/answer-parent.ts';
import { htmlToMarkdown, type HtmlPage } from './html-to-markdown.ts';

// Hostile pages can keep a parser busy for minutes, so it runs in a process that can be stopped.
answerParent((input) => htmlToMarkdown(input as HtmlPage));
