import type { CallId } from '../../core/ids.ts';
import type { InboxItem } from '../../core/inbox/inbox.ts';
import { isJsonObject } from '../../core/json.ts';
import type { SubContext } from '../../core/state/sub-context.ts';

/** Observer id of the substitute results for calls that never got one. */
export const danglingCallResolver = 'dangling_call_resolver';

/**
 * The call an item answers. Only the engine posts results: what a tool, an observer or a rule calls a TOOL_RESULT is an
 * item like any other, since a result without its call, or a second one, makes a history that providers refuse (I1).
 */
export function answeredCall(item: InboxItem): CallId | undefined {
  if (item.source !== 'TOOL_RESULT' || item.from !== undefined || item.ruleId !== undefined) return undefined;
  if (item.observerId !== undefined && item.observerId !== danglingCallResolver) return undefined;
  return isJsonObject(item.payload) ? (String(item.payload['tool_call_id']) as CallId) : undefined;
}

/** The calls that the next turn must answer: those of a reply that is the last message. */
export function openCallsOf(agent: SubContext): readonly CallId[] {
  return agent.history.messages.at(-1)?.role === 'assistant' ? (agent.history.origins.at(-1)?.callIds ?? []) : [];
}
