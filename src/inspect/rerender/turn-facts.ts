import type { DecidedAction } from '../../core/events/turn-parts.ts';
import type { CadreEvent, EventOf } from '../../core/events/event.ts';
import type { AgentId, CallId, TurnId } from '../../core/ids.ts';
import type { JsonValue } from '../../core/json.ts';
import { stateChanges, type StateChangeView } from '../../core/patches/state-changes.ts';
import type { ObserverRecord, RuleRecord, TurnInput, TurnPrompt } from '../../core/state/turn.ts';

/** The events of one turn that its profile decided: recorded ones, or those of a decision that was tried. */
export interface DecidedTurnEvents {
  /** Events of its preparation, before `turn.start`. */
  readonly prep: readonly CadreEvent[];
  /** Absent when the preparation did not begin the turn. */
  readonly start: EventOf<'turn.start'> | undefined;
  /** Events after `model.end`, up to the verdicts on its calls; undefined when the model call has no recorded end. */
  readonly post: readonly CadreEvent[] | undefined;
}

/** An item that an observer or a rule posted. */
export interface PostedItem {
  readonly to: AgentId;
  readonly source: string;
  /** The observer or rule. */
  readonly by: string;
  readonly payload: JsonValue;
}

/** Verdict on a requested call. */
export interface CallVerdict {
  readonly callId: CallId;
  readonly tool: string;
  /** `runs`; `asks` a person; else the status that it was answered with instead of running, such as `denied`. */
  readonly verdict: string;
  /** The gate that asks. */
  readonly gateId?: string;
  readonly code?: string;
  readonly message?: string;
}

/** Everything about a turn that follows from its profile: comparable between two versions of the profile. */
export interface TurnFacts {
  readonly begins: boolean;
  readonly prompt: TurnPrompt | undefined;
  readonly inputs: readonly TurnInput[];
  readonly limit: string | undefined;
  readonly observers: readonly ObserverRecord[];
  readonly items: readonly PostedItem[];
  readonly changes: readonly Omit<StateChangeView, 'seq'>[];
  readonly rules: readonly RuleRecord[];
  /** Undefined for a turn that was not decided. */
  readonly action: DecidedAction | undefined;
  readonly calls: readonly CallVerdict[];
}

/** Reads the facts of a turn from its events. */
export function turnFacts({ prep, start, post = [] }: DecidedTurnEvents): TurnFacts {
  const decide = post.find((event) => event.type === 'turn.decide');
  const decided = [...prep, ...post];
  return {
    begins: start !== undefined,
    prompt: start?.prompt,
    inputs: start?.inputs ?? [],
    limit: start?.limit?.reason,
    observers: [...(start?.observers ?? []), ...(decide?.observers ?? [])],
    items: decided.flatMap(toPostedItem),
    changes: decided.flatMap(toChanges),
    rules: decide?.rules ?? [],
    action: decide?.action,
    calls: callVerdicts(post),
  };
}

function toPostedItem(event: CadreEvent): readonly PostedItem[] {
  if (event.type !== 'inbox.add') return [];
  const { item, agentId } = event;
  const by = item.observerId ?? item.ruleId;
  return by === undefined ? [] : [{ to: agentId, source: item.source, by, payload: item.payload }];
}

function toChanges(event: CadreEvent): readonly Omit<StateChangeView, 'seq'>[] {
  if (event.type !== 'state.patch' && event.type !== 'state.update') return [];
  return stateChanges(event).map(({ seq: _, ...change }) => change);
}

/**
 * The events after a request say what was decided about the call: it waits for a person, or it was answered without running. A tool that
 * decides inside the commit ends in the same way, so an end counts only when it is a refusal.
 */
function callVerdicts(post: readonly CadreEvent[]): readonly CallVerdict[] {
  return post.flatMap((request, index) => {
    if (request.type !== 'tool.request') return [];
    const call = { callId: request.callId, tool: request.name };
    for (const event of post.slice(index + 1)) {
      if (!('callId' in event) || event.callId !== request.callId) continue;
      if (event.type === 'tool.suspend' && event.on.kind === 'approval') {
        const { gateId, message } = event.on;
        return [{ ...call, verdict: 'asks', gateId, ...(message === undefined ? {} : { message }) }];
      }
      if (event.type === 'tool.end') {
        const { error } = event;
        if (request.args !== null && !refusals.has(error?.code ?? '')) break;
        return [{ ...call, verdict: event.status, ...(error === undefined ? {} : { code: error.code, message: error.message }) }];
      }
    }
    return [{ ...call, verdict: 'runs' }];
  });
}

/** Codes of calls with usable arguments that were not run. */
const refusals: ReadonlySet<string> = new Set(['TOOL_DENIED', 'TOOL_MISSING']);

const verdictEvents: ReadonlySet<string> = new Set(['inbox.add', 'tool.request', 'tool.end', 'tool.suspend', 'tool.answer']);

/**
 * Returns the part of a decision's events that the profile's observers, rules and gates decided: up to the turn's `turn.decide`, and the
 * verdicts on the calls behind it. `events` begin behind `model.end`; what follows the verdicts is the work itself.
 */
export function decidedEvents(events: readonly CadreEvent[], from: number, turnId: TurnId): readonly CadreEvent[] {
  let decide: EventOf<'turn.decide'> | undefined;
  let index = from;
  for (; index < events.length && decide === undefined; index++) {
    const event = events[index];
    if (event?.type === 'turn.decide' && event.turnId === turnId) decide = event;
    else if (event?.type === 'turn.end' && event.turnId === turnId) return [];
  }
  if (decide === undefined) return [];
  const { agentId, at } = decide;
  for (; index < events.length; index++) {
    const event = events[index];
    if (event === undefined || event.at !== at || !verdictEvents.has(event.type)) break;
    if (!('agentId' in event) || event.agentId !== agentId) break;
  }
  return events.slice(from, index);
}
