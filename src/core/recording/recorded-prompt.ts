import { partsOf, type RecordedMessage } from './recorded-message.ts';
import type { PromptMessage } from '../prompt/message.ts';

/** What a model was asked, in a recording: without ids and times, so that the same question is the same text. */
export interface RecordedPrompt {
  readonly system: string;
  /** The id of the list of tools that were offered; empty for none. */
  readonly tools: string;
  readonly choice: string;
  readonly messages: readonly RecordedMessage[];
}

/** A prompt as it is written: what changed since the agent's last one. */
export interface PromptChange {
  readonly system?: string;
  readonly tools?: string;
  readonly choice?: string;
  /** How many of the last prompt's messages are left out at its beginning, and how many of those after them stay. */
  readonly dropped?: number;
  readonly kept?: number;
  readonly added: readonly RecordedMessage[];
}

const nothing: RecordedPrompt = { system: '', tools: '', choice: 'auto', messages: [] };

/** The part of a prompt that a recording keeps of its messages; the system text stands apart. */
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

/** What changed since the last prompt. */
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

/** The prompt a change makes of the last one. */
export function applyChange(change: PromptChange, last: RecordedPrompt = nothing): RecordedPrompt {
  const { system = last.system, tools = last.tools, choice = last.choice, dropped = 0, kept = 0, added } = change;
  return { system, tools, choice, messages: [...last.messages.slice(dropped, dropped + kept), ...added] };
}
