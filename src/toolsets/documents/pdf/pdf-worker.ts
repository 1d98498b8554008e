import { answerParent } from '../../worker/answer-parent.ts';
import { pdfToText } from './pdf-text.ts';

// Hostile PDFs can keep a parser busy, or unpack to gigabytes, so they are read in a process that can be stopped.
answerParent((input) => pdfToText(input as Uint8Array));
