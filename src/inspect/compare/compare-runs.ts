import { CadreError } from '../../core/error.ts';
import { oneLine } from '../../core/events/one-line.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import { foldEvents } from '../../core/fold/apply-event.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { ReadContent } from '../read-content.ts';
import { compareTurn, type Differing, partsOf } from '../rerender/compare-turn.ts';
import { sameData } from '../rerender/same-data.ts';
import { runOverview } from '../run-overview.ts';
import { align } from '../turn/align.ts';
import { causeOf } from './cause-of.ts';
import { cleanContent, cleanTurn, withoutNoise } from './without-noise.ts';
import { type RecordedTurn, recordedTurns } from './recorded-turns.ts';
import type { ComparedPart, ComparedTurn, FirstDifference, PairComparison, RunComparison, RunFigures } from './run-comparison.ts';

/** One run to compare, as its journal has it. */
export interface ComparedRun {
  readonly events: readonly CadreEvent[];
  readonly content: ReadContent;
}

/** A run with its turns read. */
interface ReadRun {
  readonly run: RunContext;
  readonly turns: readonly RecordedTurn[];
  readonly content: ReadContent;
}

/**
 * Compares runs turn by turn: prompts, replies, decisions, calls, results, cost and time. Turns of the same agent and number are aligned; every
 * run is compared with the first.
 */
export function compareRuns(runs: readonly ComparedRun[]): RunComparison {
  const read = runs.map(readRun);
  const [base, ...others] = read;
  if (base === undefined || others.length === 0)
    throw new CadreError('OPTION_INVALID', 'a comparison needs two runs or more; name another one');
  return { runs: read.map(({ run }) => figuresOf(run)), pairs: others.map((other) => comparePair(base, other)) };
}

function readRun({ events, content }: ComparedRun): ReadRun {
  const run = foldEvents(events, 'everything');
  if (run === undefined) throw new CadreError('STORE_CORRUPT', `run ${events[0]?.runId ?? ''} does not begin with run.start`);
  return { run, turns: recordedTurns(events, run), content };
}

function figuresOf(run: RunContext): RunFigures {
  const overview = runOverview(run);
  const { runId, title, profile, status, outcome, output, turns, toolCalls, modelCalls, inputTokens, outputTokens, cost } =
    overview;
  const figures = { runId, title, profile, status, outcome, output, turns, toolCalls, modelCalls, inputTokens, outputTokens, cost };
  return { ...figures, costAtLeast: overview.costAtLeast, ms: overview.used.wallMs, agents: overview.agents.total };
}

function comparePair(a: ReadRun, b: ReadRun): PairComparison {
  const found: { readonly seq: number; readonly first: FirstDifference }[] = [];
  const turns = align(a.turns, b.turns, ({ turnId }) => turnId).map((step): ComparedTurn => {
    const before = step.kind === 'added' ? undefined : step.a;
    const after = step.kind === 'removed' ? undefined : step.b;
    const compared = before === undefined || after === undefined ? oneSided : compareTurns(a, b, before, after);
    const { parts } = compared;
    if (parts.length > 0)
      found.push({ seq: seqOf(compared, before ?? after), first: firstDifference([a, b], [before, after], compared) });
    return { before: before?.figures, after: after?.figures, parts };
  });
  const differ = turns.filter(({ parts }) => parts.some((part) => part !== 'clock')).length;
  // Times differ between any two runs: they are the first difference only when there is no other.
  const [first] = found.toSorted(
    (one, other) => Number(one.first.cause === 'clock') - Number(other.first.cause === 'clock') || one.seq - other.seq,
  );
  const pair = { before: a.run.meta.runId, after: b.run.meta.runId, same: turns.length - differ, differ, turns };
  return first === undefined ? pair : { ...pair, first: first.first };
}

/** Returns the event that differs. A result may come long after its turn began: what it waited for differed before it. */
function seqOf({ parts: [part], result }: Compared, recorded: RecordedTurn | undefined): number {
  if (part === undefined || recorded === undefined) return 0;
  const { start, modelEnd, calls } = recorded.turn;
  if (part === 'results') return calls[result]?.end?.seq ?? Number.MAX_SAFE_INTEGER;
  const isAfterCall = part === 'reply' || part === 'model' || afterReply.has(part);
  return isAfterCall ? (modelEnd?.seq ?? start.seq) : start.seq;
}

interface Compared {
  readonly parts: readonly ComparedPart[];
  readonly difference: Differing;
  /** Index of the first result that differs. */
  readonly result: number;
}

const oneSided: Compared = { parts: ['start'], difference: { start: 'only one of the runs has this turn' }, result: 0 };

/** Compares without what differs between any two runs; then without times, to see whether only those differ. */
function compareTurns(a: ReadRun, b: ReadRun, before: RecordedTurn, after: RecordedTurn): Compared {
  const found = compareCleaned(a, b, before, after, false);
  if (found.parts.length === 0) return found;
  const timeless = compareCleaned(a, b, before, after, true);
  return timeless.parts.length === 0 ? { ...found, parts: ['clock'] } : { ...timeless, difference: found.difference };
}

function compareCleaned(a: ReadRun, b: ReadRun, before: RecordedTurn, after: RecordedTurn, withoutTimes: boolean): Compared {
  const [left, right] = [
    { read: a, turn: before },
    { read: b, turn: after },
  ].map(({ read, turn }) => {
    const clean = withoutNoise(read.run.meta.runId, withoutTimes);
    return { ...cleanTurn(turn, clean), content: cleanContent(read.content, clean) };
  });
  if (left === undefined || right === undefined) return oneSided;
  const difference = compareTurn(left, right, undefined) ?? {};
  const found = partsOf(difference);
  const result = right.results.findIndex((each, index) => !sameData(left.results[index], each));
  return {
    difference,
    result: result < 0 ? right.results.length : result,
    parts: [
      ...found.filter((part) => !afterReply.has(part)),
      ...(before.figures.model === after.figures.model ? [] : (['model'] as const)),
      ...(left.reply === right.reply ? [] : (['reply'] as const)),
      ...found.filter((part) => afterReply.has(part)),
      ...(sameData(left.results, right.results) ? [] : (['results'] as const)),
    ],
  };
}

/** Parts that are decided with the reply: a reply that differs comes before them. */
const afterReply: ReadonlySet<ComparedPart> = new Set(['observers', 'items', 'state', 'decision', 'gates']);

function firstDifference(
  [a, b]: readonly [ReadRun, ReadRun],
  [before, after]: readonly [RecordedTurn | undefined, RecordedTurn | undefined],
  { parts: [part = 'start'], difference, result }: Compared,
): FirstDifference {
  const turnId = after?.turnId ?? before?.turnId ?? '';
  const profilesDiffer = a.run.meta.profiles !== b.run.meta.profiles;
  const sides = { before, after, profilesDiffer, inputDiffers: !sameData(a.run.meta.input, b.run.meta.input) };
  const { cause, detail } = causeOf(part, difference, sides);
  const found = { turnId, part, cause, detail: oneLine(detail), difference };
  if (part === 'reply' && before !== undefined && after !== undefined)
    return { ...found, texts: { before: before.reply, after: after.reply } };
  if (part !== 'results') return found;
  return { ...found, texts: { before: before?.results[result]?.text ?? '', after: after?.results[result]?.text ?? '' } };
}
