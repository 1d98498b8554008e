import type { JsonValue } from '../json.ts';
import { contentText, type Content, type FilePart, type PromptMessage } from '../prompt/message.ts';

/** A file in a recorded message: enough to distinguish it from others. */
export interface RecordedFile {
  readonly mediaType: string;
  readonly filename?: string;
  /** A link; for data, its length and a checksum. */
  readonly data: string;
}

/** A message of a recorded prompt: its text and calls, without ids. */
export type RecordedMessage =
  | { readonly role: 'user'; readonly text: string; readonly files?: readonly RecordedFile[] }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls?: readonly { readonly tool: string; readonly args: JsonValue }[];
      readonly files?: readonly RecordedFile[];
    }
  | {
      readonly role: 'tool';
      readonly results: readonly {
        readonly tool: string;
        readonly text: string;
        readonly error?: true;
        readonly files?: readonly RecordedFile[];
      }[];
    };

type SpokenMessage = Exclude<PromptMessage, { readonly role: 'system' }>;

/** Converts a message to its recorded form; `plain` removes the differences between runs from its texts. */
export function partsOf(message: SpokenMessage, plain: (text: string) => string): RecordedMessage {
  switch (message.role) {
    case 'user':
      return { role: 'user', text: plain(contentText(message.content)), ...filesOf(message.content) };
    case 'assistant': {
      const texts = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
      const calls = message.content.flatMap((part) =>
        part.type === 'tool-call' ? [{ tool: part.toolName, args: plainArgs(part.input, plain) }] : [],
      );
      return {
        role: 'assistant',
        text: plain(texts.join('')),
        ...(calls.length === 0 ? {} : { calls }),
        ...filesOf(message.content),
      };
    }
    case 'tool':
      return {
        role: 'tool',
        results: message.content.map(({ toolName, output }) => {
          const content: Content = output.value;
          const error = output.type === 'error-text' ? { error: true as const } : {};
          return { tool: toolName, text: plain(contentText(content)), ...error, ...filesOf(content) };
        }),
      };
  }
}

function plainArgs(args: JsonValue, plain: (text: string) => string): JsonValue {
  return JSON.parse(plain(JSON.stringify(args))) as JsonValue;
}

function filesOf(content: string | readonly { readonly type: string }[]): { readonly files?: readonly RecordedFile[] } {
  if (typeof content === 'string') return {};
  const files = content.flatMap((part) => (part.type === 'file' ? [fileOf(part as FilePart)] : []));
  return files.length === 0 ? {} : { files };
}

function fileOf({ mediaType, filename, data }: FilePart): RecordedFile {
  const name = filename === undefined ? {} : { filename };
  if (data.type === 'url') return { mediaType, ...name, data: data.url };
  const bytes = data.type === 'data' ? data.data : data.text;
  return { mediaType, ...name, data: `${bytes.length} characters, sum ${sumOf(bytes)}` };
}

/** Checksum against accidental equality of files (FNV-1a). */
function sumOf(text: string): string {
  let sum = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) sum = Math.imul(sum ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return sum.toString(16).padStart(8, '0');
}
