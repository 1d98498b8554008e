import { verdictText } from '../verdict-text.ts';
import type { CallId, TurnId } from '../../core/ids.ts';
import type { TurnState, CallState } from '../../core/state/turn-state.ts';
import type { TurnType } from '../../core/state/turn.ts';
import type { EventAt } from '../why/cause-chain.ts';
import type { TurnStatus } from '../turn/turn-record.ts';

/**
 * A part of a turn: waiting in the inbox, prep, exec, post, running tools, or waiting for a person while no other call of the turn
 * runs. A turn may have several parts of the last two kinds. Open parts have no end. Post spans the time from the end of the model
 * call to the recorded decision, most of which the reply spends queued behind other input.
 */
export interface TimelinePart {
  readonly kind: 'wait' | 'prep' | 'exec' | 'post' | 'tools' | 'person';
  readonly from: number;
  readonly to: number | undefined;
}

/** A tool call on the timeline. */
export interface TimelineCall {
  readonly callId: CallId;
  readonly name: string;
  readonly status: string;
  readonly from: number;
  readonly to: number | undefined;
  /** A suspended call waits for a person's decision or answer, or for agents it started. */
  readonly waitsFor?: 'person' | 'agents';
  /** Who decided about it, in words (`approved by alice`). */
  readonly decided?: string;
}

/** One turn on the timeline. */
export interface TimelineBar {
  readonly turnId: TurnId;
  readonly turnType: TurnType;
  readonly status: TurnStatus;
  readonly from: number;
  readonly to: number | undefined;
  readonly parts: readonly TimelinePart[];
  readonly calls: readonly TimelineCall[];
}

/** True while all open calls of a turn wait for a person. */
export function isForPerson({ parts }: Pick<TimelineBar, 'parts'>): boolean {
  const last = parts.at(-1);
  return last?.kind === 'person' && last.to === undefined;
}

/** Builds the bar of a turn; `eventAt` is needed for the time items waited in the inbox. */
export function toBar(turn: TurnState, eventAt: EventAt | undefined): TimelineBar {
  return {
    turnId: turn.turnId,
    turnType: turn.start.turnType,
    status: turn.end?.status ?? 'running',
    from: turn.start.at,
    to: turn.end?.at,
    parts: [...partsOf(turn, eventAt), ...toolParts(turn)],
    calls: turn.calls.map((call) => ({
      callId: call.callId,
      name: call.request.name,
      status: call.status,
      from: call.request.at,
      to: call.end?.at,
      ...waitsFor(call),
      ...(call.verdict === undefined ? {} : { decided: verdictText(call.verdict) }),
    })),
  };
}

function waitsFor({ status, waitFor }: TurnState['calls'][number]): Pick<TimelineCall, 'waitsFor'> {
  if (status !== 'suspended' || waitFor === undefined) return {};
  return { waitsFor: waitFor.kind === 'agents' ? 'agents' : 'person' };
}

function partsOf(turn: TurnState, eventAt: EventAt | undefined): readonly TimelinePart[] {
  const { start, modelEnd, decide, end } = turn;
  const parts: TimelinePart[] = [];
  const arrived = firstArrival(turn, eventAt);
  if (arrived !== undefined && arrived < start.at) parts.push({ kind: 'wait', from: arrived, to: start.at });
  if (start.prompt !== undefined) {
    const called = modelEnd?.attempts[0]?.startedAt;
    const exec = called === undefined || called < start.at ? start.at : called;
    if (exec > start.at) parts.push({ kind: 'prep', from: start.at, to: exec });
    const answered = modelEnd === undefined ? end?.at : answeredAt(modelEnd, exec);
    parts.push({ kind: 'exec', from: exec, to: answered });
    if (decide !== undefined && answered !== undefined) parts.push({ kind: 'post', from: answered, to: decide.at });
  }
  return parts;
}

/** Returns the arrival time of the item that waited longest. */
function firstArrival(turn: TurnState, eventAt: EventAt | undefined): number | undefined {
  if (eventAt === undefined) return undefined;
  let first: number | undefined;
  for (const [index, seq] of turn.itemSeqs.entries()) {
    // Items that stay in the inbox are read repeatedly, so they did not wait for this turn.
    const event = seq === 0 || turn.start.inputs[index]?.kept === true ? undefined : eventAt(seq);
    if (event !== undefined && (first === undefined || event.at < first)) first = event.at;
  }
  return first;
}

/** Returns the end of the model's last attempt; the journal's clock wins over the model's. */
function answeredAt({ attempts, at }: NonNullable<TurnState['modelEnd']>, from: number): number {
  const last = attempts.at(-1);
  return last === undefined ? at : Math.min(at, Math.max(from, last.startedAt + last.ms));
}

/** Start and end in milliseconds since 1970; the end is infinite for a stretch that has not ended. */
type Stretch = readonly [from: number, until: number];

/** Splits the time of a turn's calls, without gaps: `tools` while a call is running, `person` while all open calls wait for a person. */
function toolParts({ calls, end }: TurnState): readonly TimelinePart[] {
  const first = calls[0];
  if (first === undefined) return [];
  const isOpen = calls.some((call) => call.end === undefined);
  const last = isOpen ? (end?.at ?? Infinity) : Math.max(...calls.map((call) => call.end?.at ?? 0));
  const parts: TimelinePart[] = [];
  let at = first.request.at;
  const add = (kind: TimelinePart['kind'], until: number): void => {
    parts.push({ kind, from: at, to: until === Infinity ? undefined : until });
    at = until;
  };
  for (const [from, until] of joined(calls.flatMap((call) => workOf(call, last)))) {
    if (from > at) add('person', from);
    add('tools', until);
  }
  if (at < last || parts.length === 0) add('person', last);
  return parts;
}

/** Returns the stretches in which a call did not wait for a person. */
function workOf({ request, waits, end }: CallState, last: number): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let at = request.at;
  for (const { from, to = last } of waits) {
    if (from > at) stretches.push([at, from]);
    at = Math.max(at, to);
  }
  const until = end?.at ?? last;
  if (until > at || waits.length === 0) stretches.push([at, until]);
  return stretches;
}

/** Sorts stretches and merges those that touch. */
function joined(stretches: readonly Stretch[]): readonly Stretch[] {
  const found: Stretch[] = [];
  for (const [from, until] of stretches.toSorted(([a], [b]) => a - b)) {
    const before = found.at(-1);
    if (before !== undefined && from <= before[1]) found[found.length - 1] = [before[0], Math.max(before[1], until)];
    else found.push([from, until]);
  }
  return found;
}
