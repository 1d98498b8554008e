import type { ContentPart, FilePart, PromptMessage, TextPart, ToolResultPart } from '../../core/prompt/message.ts';
import { kindOf, type FileSupport } from './file-support.ts';

// A text file in a prompt is text like any other; what of one this long is shown is its beginning.
const shownTextChars = 200_000;

type UserMessage = Extract<PromptMessage, { readonly role: 'user' }>;
type ToolMessage = Extract<PromptMessage, { readonly role: 'tool' }>;

/** A message as a model takes it, and the files that must follow it in a message of their own. */
export interface FittedMessage {
  readonly message: PromptMessage;
  readonly followers: readonly ContentPart[];
}

/** Tells whether a message holds a file that a model does not take as it is. */
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
 * Puts a message's files in the form a model takes: a text file as text, what it does not take as a note that says so, and
 * files of tool results behind the results where the wire has only text in them. Nothing is dropped without a word.
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

/** Puts the files that follow tool results in front of what the user says next, or in a message of their own. */
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
    // Where files have moved out, what stays is text: such a wire has nothing else in a result.
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

/** An unknown model gets what there is, as before. */
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
