import type { PromptMessage } from '../prompt/message.ts';
import { type RecordedMessage, partsOf } from './recorded-message.ts';

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
