import { isDeepStrictEqual } from 'node:util';
import type { CadreEvent, EventOf } from '../../src/core/events/event.ts';
import { foldEvents } from '../../src/core/fold/apply-event.ts';
import { checkJournal } from '../../src/testing/check-journal.ts';
import type { LedgerLine } from './ledger.ts';
import { sweepEffects } from './sweep-effects.ts';

/** What came of one run that was killed and taken up. */
export interface RunVerdict {
  readonly folder: string;
  /** The run had something left to do when it was killed. */
  readonly interrupted: boolean;
  /** Anything of it had been written. */
  readonly begun: boolean;
  readonly report: string;
  readonly problems: readonly string[];
  /** How often each way of recovery was seen. */
  readonly seen: Readonly<Record<string, number>>;
}

/** A run before and after it was taken up. */
export interface KilledRun {
  readonly folder: string;
  /** What the journal held after the kill. */
  readonly before: readonly CadreEvent[];
  /** The last sequence number that the journal had acknowledged. */
  readonly acknowledged: number;
  readonly after: readonly CadreEvent[];
  readonly ledger: readonly LedgerLine[];
  readonly report: string;
}

const repeatable = new Set(
  Object.entries(sweepEffects).flatMap(([name, effect]) => (effect === 'pure' || effect === 'idempotent' ? [name] : [])),
);

/** Holds a run that was taken up against its journal as it was, the invariants, and what its tools did outside. */
export function checkRun(run: KilledRun): RunVerdict {
  const { before, after, acknowledged } = run;
  const problems: string[] = [];
  if (before.length < acknowledged) problems.push(`T1: ${acknowledged} was acknowledged, and ${before.length} events are there`);
  if (!isDeepStrictEqual(after.slice(0, before.length), before)) problems.push('I4: what was written before the kill has changed');
  for (const { invariant, seq, message } of checkJournal(after, { repeatable }))
    problems.push(`${invariant} at ${seq}: ${message}`);
  problems.push(...checkLedger(run));
  return {
    folder: run.folder,
    interrupted: foldEvents(before)?.status !== 'awaiting',
    begun: before.length > 0,
    report: run.report,
    problems,
    seen: seenIn(after.slice(before.length)),
  };
}

/** What tools did outside, against what the journal says of their calls (T2, and that no effect is lost). */
function checkLedger({ ledger, after }: KilledRun): readonly string[] {
  const problems: string[] = [];
  const requested = new Set<string>();
  const ends = new Map<string, EventOf<'tool.end'>>();
  const names = new Map<string, string>();
  for (const event of after) {
    if (event.type === 'tool.start') requested.add(event.callId);
    if (event.type === 'tool.request') names.set(event.callId, event.name);
    if (event.type === 'tool.end') ends.set(event.callId, event);
  }
  const begun = countBy(ledger, 'begin');
  const done = countBy(ledger, 'end');
  for (const [callId, times] of begun) {
    const effect = sweepEffects[names.get(callId) ?? ''];
    if (!requested.has(callId)) problems.push(`I6: ${callId} ran, and no intent of it is in the journal`);
    if (effect === 'unsafe' && times > 1) problems.push(`T2: the unsafe call ${callId} ran ${times} times`);
    const end = ends.get(callId);
    if (effect === 'unsafe' && end?.status !== 'ok' && end?.status !== 'unknown')
      problems.push(`T3: the unsafe call ${callId} ran, and ends ${end?.status ?? 'never'}`);
  }
  for (const [callId, times] of done)
    if (times > 1 && sweepEffects[names.get(callId) ?? ''] === 'verifiable') problems.push(`T2: ${callId} was done ${times} times`);
  for (const [callId, end] of ends) {
    const name = names.get(callId) ?? '';
    if (name in sweepEffects && end.status === 'ok' && !done.has(callId))
      problems.push(`T1: ${name} (${callId}) ended well, and was never done`);
  }
  return problems;
}

function countBy(ledger: readonly LedgerLine[], kind: 'begin' | 'end'): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of ledger) if (line.kind === kind) counts.set(line.callId, (counts.get(line.callId) ?? 0) + 1);
  return counts;
}

/** Which ways of recovery the events after the kill show. */
function seenIn(events: readonly CadreEvent[]): Readonly<Record<string, number>> {
  const seen: Record<string, number> = {};
  for (const event of events) {
    const what =
      event.type === 'tool.verify'
        ? `verified: ${event.answer}`
        : event.type === 'tool.start' && event.attempt > 1
          ? 'tool run again'
          : event.type === 'tool.end' && event.status === 'unknown'
            ? 'outcome unknown'
            : undefined;
    if (what !== undefined) seen[what] = (seen[what] ?? 0) + 1;
  }
  return seen;
}
