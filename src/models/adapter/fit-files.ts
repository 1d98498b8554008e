import type { ContentPart, FilePart, PromptMessage, TextPart, ToolResultPart } from '../../core/prompt/message.ts';
import type { ModelFailure } from '../attempts/model-failure.ts';
import { kindOf, type FileSupport } from './file-support.ts';

// Characters of a text file that a prompt shows; the rest is cut.
const shownTextChars = 200_000;

type UserMessage = Extract<PromptMessage, { readonly role: 'user' }>;
type ToolMessage = Extract<PromptMessage, { readonly role: 'tool' }>;

/** A message the model accepts, and the files that must follow it in a separate message. */
export interface FittedMessage {
  readonly message: PromptMessage;
  readonly followers: readonly ContentPart[];
}

/** True when a message holds a file that the model does not accept as it is. */
export function needsFitting(message: PromptMessage, support: FileSupport): boolean {
  switch (message.role) {
    case 'system':
      return false;
    case 'user':
      return message.content.some((part) => part.type === 'file' && !isTaken(part, support));
    case 'assistant':
      return message.content.some((part) => part.type === 'file' && !support.returnsOwnFiles);
    case 'tool':
      return message.content.some(
        ({ output }) => output.type === 'content' && output.value.some((part) => isMisplaced(part, support)),
      );
  }
}

/**
 * Converts a message's files to a form the model accepts: a text file becomes text, an unsupported file a note, and files of tool
 * results move behind the results where the wire format allows only text. No file disappears without a note.
 */
export function fitMessage(message: PromptMessage, support: FileSupport): FittedMessage {
  switch (message.role) {
    case 'system':
      return { message, followers: [] };
    case 'user':
      return { message: { ...message, content: message.content.map((part) => fitPart(part, support)) }, followers: [] };
    case 'assistant':
      return {
        message: {
          ...message,
          content: message.content.map((part) =>
            part.type === 'file' && !support.returnsOwnFiles ? textPart(`[${describeFile(part)}, made here]`) : part,
          ),
        },
        followers: [],
      };
    case 'tool':
      return fitResults(message, support);
  }
}

/** Puts the files that follow tool results before the user's next text, or in a separate message. */
export function withFollowers(next: PromptMessage | undefined, followers: readonly ContentPart[]): UserMessage {
  return { role: 'user', content: next?.role === 'user' ? [...followers, ...next.content] : followers };
}

function fitResults(message: ToolMessage, support: FileSupport): FittedMessage {
  const followers: ContentPart[] = [];
  const content = message.content.map((result): ToolResultPart => {
    const { output } = result;
    if (output.type !== 'content') return result;
    const value = output.value.map((part): ContentPart => {
      const fitted = fitPart(part, support);
      if (fitted.type !== 'file' || !support.movesResultFiles) return fitted;
      followers.push(textPart(`[${describeFile(fitted)}, from the result of ${result.toolName}:]`), fitted);
      return textPart(`[${describeFile(fitted)}: shown below the results]`);
    });
    // With files moved out, only text remains, and such a wire format takes plain text results.
    if (support.movesResultFiles && value.every((part) => part.type === 'text'))
      return {
        ...result,
        output: { type: 'text', value: value.map((part) => (part.type === 'text' ? part.text : '')).join('\n') },
      };
    return { ...result, output: { type: 'content', value } };
  });
  return { message: { ...message, content }, followers };
}

function fitPart(part: ContentPart, support: FileSupport): ContentPart {
  if (part.type !== 'file' || isTaken(part, support)) return part;
  const text = kindOf(part) === 'text' ? textOf(part) : undefined;
  if (text !== undefined) return textPart(`[${describeFile(part)}]\n${text}`);
  if (part.data.type === 'url' && !isLinkTaken(part, support) && isKindTaken(part, support))
    return textPart(`[${describeFile(part)}, not shown: this model takes no links to such files. It is at ${part.data.url}]`);
  return textPart(`[${describeFile(part)}, not shown: this model does not take such files]`);
}

function isMisplaced(part: ContentPart, support: FileSupport): boolean {
  return part.type === 'file' ? support.movesResultFiles || !isTaken(part, support) : support.movesResultFiles;
}

/** True when the model accepts a file; a model without known limits accepts all. */
function isTaken(part: FilePart, support: FileSupport): boolean {
  if (support.kinds === undefined) return true;
  return isKindTaken(part, support) && (part.data.type !== 'url' || isLinkTaken(part, support));
}

function isKindTaken(part: FilePart, { kinds }: FileSupport): boolean {
  const kind = kindOf(part);
  return kind !== 'text' && (kinds === undefined || kinds.has(kind));
}

function isLinkTaken(part: FilePart, { links }: FileSupport): boolean {
  return links === undefined || links.has(kindOf(part));
}

function textOf({ data }: FilePart): string | undefined {
  switch (data.type) {
    case 'text':
      return cut(data.text);
    case 'data':
      return cut(Buffer.from(data.data, 'base64').toString('utf8').toWellFormed());
    case 'url':
      return undefined;
  }
}

function cut(text: string): string {
  return text.length <= shownTextChars
    ? text
    : `${text.slice(0, shownTextChars).toWellFormed()}\n[… cut: ${text.length} characters in all]`;
}

function describeFile({ mediaType, filename }: FilePart): string {
  return filename === undefined ? `file of type ${mediaType}` : `file ${filename} of type ${mediaType}`;
}

function textPart(text: string): TextPart {
  return { type: 'text', text };
}

const fileWords = /image|picture|media.?type|mime|\bfile|document|\bpdf\b|attachment|multi.?modal|vision|audio|video|base64/i;

/** True when a provider seems to have refused a request because of a file in it. */
export function isAboutFiles({ code, message, details }: ModelFailure, messages: readonly PromptMessage[]): boolean {
  if (code !== 'MODEL_REJECTED') return false;
  const status = details?.['statusCode'];
  if (status !== undefined && status !== 400 && status !== 415 && status !== 422) return false;
  return fileWords.test(`${message} ${String(details?.['response'] ?? '')}`) && messages.some(hasFile);
}

function hasFile(message: PromptMessage): boolean {
  if (message.role === 'system') return false;
  return message.content.some(
    (part) =>
      part.type === 'file' ||
      (part.type === 'tool-result' && part.output.type === 'content' && part.output.value.some((item) => item.type === 'file')),
  );
}
