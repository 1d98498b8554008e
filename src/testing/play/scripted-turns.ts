import type { JsonValue } from '../../core/json.ts';
import { CadreError } from '../../core/error.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { ScriptedReply } from '../../models/scripted/scripted-reply.ts';
import type { ToolOutcome } from '../../nodes/tools/tool-node.ts';
import type { Given, GivenCall, GivenItem, GivenMessage, GivenReply, GivenResult } from '../cases/test-case.ts';
import { isSubset } from '../expect/is-subset.ts';

/** One turn to play: the items that arrive for it, and the reply of the model. */
export interface ScriptedTurn {
  readonly items: readonly GivenItem[];
  readonly reply: GivenReply;
}

/** Returns the earlier turns of a case and the tested one, which is the last. */
export function scriptedTurns(given: Given, reply: GivenReply): readonly ScriptedTurn[] {
  const turns: ScriptedTurn[] = [];
  let items: GivenItem[] = [];
  for (const message of given.messages ?? []) {
    if (!isReply(message)) {
      items.push(message);
      continue;
    }
    const { assistant, ...rest } = message;
    turns.push({ items, reply: { ...rest, text: assistant ?? '' } });
    items = [];
  }
  return [...turns, { items: [...items, ...(given.inbox ?? [])], reply }];
}

/** True for an earlier message that is a reply. */
export function isReply(message: GivenMessage): boolean {
  return message.assistant !== undefined || message.tool_calls !== undefined || message.error !== undefined;
}

/** Converts a reply of a test to that of a scripted model. An error is a lasting one, which is not tried again. */
export function toScripted({
  text = '',
  reasoning,
  tool_calls: calls = [],
  finish_reason: finishReason,
  error,
}: GivenReply): ScriptedReply {
  if (error !== undefined) return { error: { status: 400, message: error } };
  return {
    text,
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(calls.length === 0 ? {} : { toolCalls: calls.map(toCall) }),
    ...(finishReason === undefined ? {} : { finishReason }),
  };
}

function toCall({ tool, args = {}, input }: GivenCall): NonNullable<ScriptedReply['toolCalls']>[number] {
  return input === undefined ? { name: tool, args } : { name: tool, input };
}

/** Result of a call without one in the test. */
const unspecified = 'The test gives no result for this call.';

/** Returns the outcome of a tool call: that of the call itself, else the first result of the case that fits. */
export function outcomeOf(call: CallState, reply: GivenReply | undefined, results: readonly GivenResult[]): ToolOutcome {
  const { name } = call.request;
  const own = reply?.tool_calls?.[call.index];
  const isOwn = own?.tool === name && (own.result !== undefined || own.error !== undefined);
  const found = isOwn ? own : results.find(({ tool, args = {} }) => tool === name && isSubset(args, call.args ?? {}));
  return found?.error === undefined ? returned(found?.result ?? unspecified) : failed(found.error);
}

function returned(value: JsonValue): ToolOutcome {
  return { status: 'ok', returned: value, progress: [] };
}

function failed(message: string): ToolOutcome {
  return { status: 'error', error: new CadreError('TOOL_FAILED', message), progress: [] };
}
