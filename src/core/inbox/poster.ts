/** Fields of an item that identify its origin. */
export interface Posted {
  readonly source: string;
  readonly observerId?: string;
  readonly ruleId?: string;
  readonly from?: string;
  readonly by?: string;
}

/**
 * Returns the origin of an item: an observer, a rule, an agent, a person, the outside, or the engine. Only the `inbox.add` event tells the
 * last two apart: an item from outside has no cause but the run's start.
 */
export function posterOf(item: Posted, event?: { readonly cause?: number }): string {
  if (item.observerId !== undefined) return `observer ${item.observerId}`;
  if (item.ruleId !== undefined) return `rule ${item.ruleId}`;
  if (item.from !== undefined) return item.from;
  if (item.by !== undefined) return item.by;
  if (item.source === 'USER_PROMPT') return 'outside';
  if (event === undefined) return item.source === 'TOOL_RESULT' ? 'the engine' : 'outside or the engine';
  return event.cause === undefined || event.cause === 1 ? 'outside' : 'the engine';
}
