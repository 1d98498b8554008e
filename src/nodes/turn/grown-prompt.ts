import type { PromptMessage } from '../../core/prompt/message.ts';
import { assemblePrompt, type PromptParts } from '../../core/prompt/prompt.ts';
import type { SubContext } from '../../core/state/sub-context.ts';

/** Longest history that is copied for each call, in messages: what a model keeps of a call then stays as it was. */
const copiedLength = 512;

interface GrownPrompt {
  readonly history: readonly PromptMessage[];
  readonly systemText: string;
  readonly messages: PromptMessage[];
}

// Pure cache: keyed by an agent, and compared with its history and its system text.
const grown = new WeakMap<SubContext, GrownPrompt>();

/**
 * Returns the prompt of a call, as `assemblePrompt` builds it. An agent whose calls show a long history from its beginning gets one
 * list that grows with the history, since a copy per call would cost more with every turn (I13).
 */
export function promptOf(agent: SubContext, parts: PromptParts): readonly PromptMessage[] {
  return growsWithHistory(parts) ? grow(agent, parts) : assemblePrompt(parts);
}

function growsWithHistory({ systemText, history, range, inputs, heads }: PromptParts): boolean {
  const { length } = history.messages;
  if (length <= copiedLength || history.released > 0 || range.from !== 0 || range.to !== length) return false;
  if (systemText === '' || range.stream !== undefined || (heads !== undefined && heads.length > 0)) return false;
  return inputs.every(({ persistent }) => persistent);
}

function grow(agent: SubContext, parts: PromptParts): readonly PromptMessage[] {
  const { systemText } = parts;
  const history = parts.history.messages;
  const known = grown.get(agent);
  if (known?.history !== history || known.systemText !== systemText || !isStart(known.messages, history)) {
    const messages = assemblePrompt(parts);
    grown.set(agent, { history, systemText, messages });
    return messages;
  }
  const { messages } = known;
  for (const message of history.slice(messages.length - 1)) messages.push(message);
  return messages;
}

/** True when a prompt still is a system text and the start of a history: a model could have changed the list it was given. */
function isStart(messages: readonly PromptMessage[], history: readonly PromptMessage[]): boolean {
  const last = messages.length - 1;
  return last > 0 && last <= history.length && messages[1] === history[0] && messages[last] === history[last - 1];
}
