import { type PromptMessage, contentText, type Content, type FilePart } from '../prompt/message.ts';
import type { JsonValue } from '../json.ts';
import { readJson } from '../read-json.ts';

/** A file in a recorded message: enough to distinguish it from others. */
interface RecordedFile {
  readonly mediaType: string;
  readonly filename?: string;
  /** A link; for data, its length and a checksum. */
  readonly data: string;
}

/** A message of a recorded prompt: its text and calls, without ids. */
type RecordedMessage =
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
function partsOf(message: SpokenMessage, plain: (text: string) => string): RecordedMessage {
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
  return readJson(plain(JSON.stringify(args))) as JsonValue;
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

/** A recorded prompt: without ids and times, so that equal prompts are equal texts. */
export interface RecordedPrompt {
  readonly system: string;
  /** Id of the list of offered tools; empty for none. */
  readonly tools: string;
  readonly choice: string;
  readonly messages: readonly RecordedMessage[];
}

/** A written prompt: the difference from the agent's previous one. */
export interface PromptChange {
  readonly system?: string;
  readonly tools?: string;
  readonly choice?: string;
  /** Number of messages of the previous prompt that are dropped at its beginning, and of following ones that are kept. */
  readonly dropped?: number;
  readonly kept?: number;
  readonly added: readonly RecordedMessage[];
}

const nothing: RecordedPrompt = { system: '', tools: '', choice: 'auto', messages: [] };

/** Converts a prompt to its recorded form; the system text is separate. */
export function toRecordedPrompt(
  messages: readonly PromptMessage[],
  rest: Pick<RecordedPrompt, 'tools' | 'choice'>,
  plain: (text: string) => string,
): RecordedPrompt {
  const [first] = messages;
  const system = first?.role === 'system' ? plain(first.content) : '';
  const recorded = messages.flatMap((message) => (message.role === 'system' ? [] : [partsOf(message, plain)]));
  return { system, ...rest, messages: recorded };
}

/** Returns the difference from the previous prompt. */
export function changeOf(prompt: RecordedPrompt, last: RecordedPrompt = nothing): PromptChange {
  const texts = prompt.messages.map((message) => JSON.stringify(message));
  const before = last.messages.map((message) => JSON.stringify(message));
  const dropped = texts.length === 0 ? 0 : Math.max(0, before.indexOf(texts[0] ?? ''));
  let kept = 0;
  while (kept < texts.length && before[dropped + kept] === texts[kept]) kept += 1;
  return {
    ...(prompt.system === last.system ? {} : { system: prompt.system }),
    ...(prompt.tools === last.tools ? {} : { tools: prompt.tools }),
    ...(prompt.choice === last.choice ? {} : { choice: prompt.choice }),
    ...(kept === 0 || dropped === 0 ? {} : { dropped }),
    ...(kept === 0 ? {} : { kept }),
    added: prompt.messages.slice(kept),
  };
}

/** Applies a difference to the previous prompt. */
export function applyChange(change: PromptChange, last: RecordedPrompt = nothing): RecordedPrompt {
  const { system = last.system, tools = last.tools, choice = last.choice, dropped = 0, kept = 0, added } = change;
  return { system, tools, choice, messages: [...last.messages.slice(dropped, dropped + kept), ...added] };
}
