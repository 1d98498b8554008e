import type { CallId, TurnId } from '../../core/ids.ts';
import type { TurnState } from '../../core/state/turn-state.ts';
import type { TurnType } from '../../core/state/turn.ts';
import type { EventAt } from '../why/cause-chain.ts';
import type { TurnStatus } from '../turn/turn-record.ts';
import { toolParts } from './tool-parts.ts';
import type { TimelinePart } from './timeline-part.ts';

/** A tool call on the timeline. */
export interface TimelineCall {
  readonly callId: CallId;
  readonly name: string;
  readonly status: string;
  readonly from: number;
  readonly to: number | undefined;
  /** A suspended call waits for a person's decision or answer, or for agents it started. */
  readonly waitsFor?: 'person' | 'agents';
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
