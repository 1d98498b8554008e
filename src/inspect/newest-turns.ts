import type { CadreEvent, EventOf } from '../core/events/event.ts';
import type { CallId, TurnId } from '../core/ids.ts';
import { withAttempts } from '../core/fold/charge.ts';
import type { CallState } from '../core/state/turn-state.ts';
import type { ListedTurn } from './turn-list.ts';

type ListedCall = { -readonly [Key in keyof ListedTurn['calls'][number]]: ListedTurn['calls'][number][Key] };
type Growing = { -readonly [Key in keyof Omit<ListedTurn, 'calls'>]: ListedTurn[Key] } & { readonly calls: ListedCall[] };

/**
 * Returns the turns that began within a stretch of a run's events, in order. Needs no earlier events: a list shows only data from
 * the turn's events, which follow its start.
 */
export function turnsBegunIn(events: readonly CadreEvent[]): readonly ListedTurn[] {
  const turns = new Map<TurnId, Growing>();
  const calls = new Map<CallId, ListedCall>();
  for (const event of events) {
    switch (event.type) {
      case 'turn.start':
        turns.set(event.turnId, begun(event));
        break;
      case 'model.end':
        set(turns.get(event.turnId), 'modelEnd', event);
        break;
      case 'model.reserve': {
        const turn = turns.get(event.call as TurnId);
        set(turn, 'charged', withAttempts(turn?.charged, event));
        break;
      }
      case 'turn.decide':
        set(turns.get(event.turnId), 'decide', event);
        break;
      case 'turn.end':
        set(turns.get(event.turnId), 'end', event);
        break;
      case 'tool.request': {
        const call: ListedCall = { request: event, status: 'requested' };
        turns.get(event.turnId)?.calls.push(call);
        calls.set(event.callId, call);
        break;
      }
      case 'tool.start':
      case 'tool.suspend':
      case 'tool.answer':
      case 'tool.end':
        noteCall(calls.get(event.callId), event);
        break;
      default:
        break;
    }
  }
  return [...turns.values()];
}

function begun(start: EventOf<'turn.start'>): Growing {
  const { turnId, agentId } = start;
  return { turnId, agentId, start, modelEnd: undefined, charged: undefined, decide: undefined, end: undefined, calls: [] };
}

function set<Key extends 'modelEnd' | 'charged' | 'decide' | 'end'>(
  turn: Growing | undefined,
  key: Key,
  event: Growing[Key],
): void {
  if (turn !== undefined) turn[key] = event;
}

function noteCall(call: ListedCall | undefined, event: EventOf<'tool.start' | 'tool.suspend' | 'tool.answer' | 'tool.end'>): void {
  if (call === undefined) return;
  call.status = statusAfter(event);
}

/** Returns the status as the fold computes it (`core/fold/tool.ts`). */
function statusAfter(event: EventOf<'tool.start' | 'tool.suspend' | 'tool.answer' | 'tool.end'>): CallState['status'] {
  switch (event.type) {
    case 'tool.start':
      return 'running';
    case 'tool.suspend':
      return 'suspended';
    case 'tool.answer':
      return 'requested';
    case 'tool.end':
      return event.status;
  }
}
