import { CadreError } from '../../core/error.ts';
import { oneLine } from '../../core/events/one-line.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import { foldEvents } from '../../core/fold/apply-event.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { ReadContent } from '../read-content.ts';
import { sameData } from '../rerender/same-data.ts';
import { runOverview } from '../run-overview.ts';
import { type Compared, compareTurns, isDecidedAfterReply, oneSided, type TurnSide } from './compare-turns.ts';
import { pairTurns } from './pair-turns.ts';
import { type RecordedTurn, recordedTurns } from './recorded-turns.ts';
import type {
  ComparedTurn,
  FirstDifference,
  PairComparison,
  RunComparison,
  RunFigures,
  ComparedPart,
  DifferenceCause,
} from './run-comparison.ts';
import { namesOf, type RunNames } from './without-noise.ts';
import type { Differing } from '../rerender/compare-turn.ts';
import type { ChangedText } from '../rerender/rerendered-turn.ts';

/** One run to compare, as its journal has it. */
export interface ComparedRun {
  readonly events: readonly CadreEvent[];
  readonly content: ReadContent;
  /** The state after these events with all of its past; folded when absent. */
  readonly state?: RunContext;
}

/** A run with its turns read. */
export interface ReadRun {
  readonly run: RunContext;
  readonly names: RunNames;
  readonly turns: readonly RecordedTurn[];
  readonly content: ReadContent;
}

/**
 * Compares runs turn by turn: prompts, replies, decisions, calls, results, cost and time. Turns of the same agent and number are aligned; every
 * run is compared with the first.
 */
export function compareRuns(runs: readonly ComparedRun[]): RunComparison {
  const steps = comparisonSteps(runs);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** Compares runs in small steps, one per turn, so that a server can answer others in between. */
export function* comparisonSteps(runs: readonly ComparedRun[]): Generator<void, RunComparison> {
  const read: ReadRun[] = [];
  // A run may go on between two steps: its figures are those of the turns that are compared.
  const figures: RunFigures[] = [];
  for (const run of runs) {
    const each = readRun(run);
    read.push(each);
    figures.push(figuresOf(each.run));
    yield;
  }
  const [base, ...others] = read;
  if (base === undefined || others.length === 0)
    throw new CadreError('OPTION_INVALID', 'a comparison needs two runs or more; name another one');
  const pairs: PairComparison[] = [];
  for (const other of others) pairs.push(yield* comparePair(base, other));
  return { runs: figures, pairs };
}

/** Reads the turns of a run. Fails with STORE_CORRUPT when its journal does not begin with its start. */
export function readRun({ events, content, state }: ComparedRun): ReadRun {
  const run = state ?? foldEvents(events, 'everything');
  if (run === undefined) throw new CadreError('STORE_CORRUPT', `run ${events[0]?.runId ?? ''} does not begin with run.start`);
  return { run, names: namesOf(run), turns: recordedTurns(events, run), content };
}

/** Returns one turn of a run, to compare it. */
export function sideOf({ names, content }: ReadRun, turn: RecordedTurn): TurnSide {
  return { names, content, turn };
}

function figuresOf(run: RunContext): RunFigures {
  const overview = runOverview(run);
  const { runId, title, profile, status, outcome, output, turns, toolCalls, modelCalls, inputTokens, outputTokens, cost } =
    overview;
  const figures = { runId, title, profile, status, outcome, output, turns, toolCalls, modelCalls, inputTokens, outputTokens, cost };
  return { ...figures, costAtLeast: overview.costAtLeast, ms: overview.used.wallMs, agents: overview.agents.total };
}

function* comparePair(a: ReadRun, b: ReadRun): Generator<void, PairComparison> {
  const found: { readonly seq: number; readonly first: FirstDifference }[] = [];
  const turns: ComparedTurn[] = [];
  for (const { before, after } of pairTurns(a.turns, b.turns)) {
    const compared = before === undefined || after === undefined ? oneSided : compareTurns(sideOf(a, before), sideOf(b, after));
    const { parts } = compared;
    if (parts.length > 0)
      found.push({ seq: seqOf(compared, before ?? after), first: firstDifference([a, b], [before, after], compared) });
    turns.push({ before: before?.figures, after: after?.figures, parts });
    yield;
  }
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
  const isAfterCall = part === 'reply' || part === 'model' || isDecidedAfterReply(part);
  return isAfterCall ? (modelEnd?.seq ?? start.seq) : start.seq;
}

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

/** What is known of the two turns and their runs. */
interface TwoSides {
  readonly before: RecordedTurn | undefined;
  readonly after: RecordedTurn | undefined;
  readonly profilesDiffer: boolean;
  readonly inputDiffers: boolean;
}

/** A cause, and what it is in words. */
interface Cause {
  readonly cause: DifferenceCause;
  readonly detail: string;
}

/** Says where the first difference of two runs came from: everything before it is the same, so the differing part itself shows it. */
function causeOf(part: ComparedPart, difference: Differing, sides: TwoSides): Cause {
  switch (part) {
    case 'start':
      return causeOfAbsence(sides);
    case 'system prompt':
      return causeOfSegment(difference.systemPrompt?.[0], sides);
    case 'messages':
      return causeOfMessage(difference.messages?.[0], sides);
    case 'clock':
      return { cause: 'clock', detail: 'the turns are the same but for dates and times' };
    case 'model':
      return { cause: 'model', detail: `${sides.before?.figures.model ?? 'none'} → ${sides.after?.figures.model ?? 'none'}` };
    case 'reply':
      return { cause: 'model reply', detail: 'the same prompt got another reply' };
    case 'results': {
      const name = sides.before?.results.find((result, index) => result.text !== sides.after?.results[index]?.text)?.name ?? '';
      return { cause: 'tool result', detail: `the same call of ${name} ended otherwise` };
    }
    case 'history':
    case 'tools':
    case 'tool choice':
    case 'observers':
    case 'items':
    case 'state':
    case 'decision':
    case 'gates':
      return ofProfile(part, sides);
  }
}

function causeOfAbsence({ before, after }: TwoSides): Cause {
  const only = before === undefined ? 'the second' : 'the first';
  return {
    cause: 'length',
    detail: `${(before ?? after)?.turnId ?? 'the turn'} is in ${only} run only: the other one ended, waits, or began another agent`,
  };
}

/** The same reply, judged otherwise: by other profiles, or on other state. */
function ofProfile(part: ComparedPart, { profilesDiffer }: TwoSides): Cause {
  return profilesDiffer
    ? { cause: 'profile text', detail: `the runs have different profiles, and their ${part} differ first` }
    : {
        cause: 'state',
        detail: `the profiles are the same, and the ${part} differ: state, request or settings of the runs differ`,
      };
}

function causeOfSegment(segment: ChangedText | undefined, sides: TwoSides): Cause {
  const name = segment?.name ?? '';
  if (sides.profilesDiffer) return { cause: 'profile text', detail: `segment ${name} is written differently` };
  return { cause: 'state', detail: `the profiles are the same, and segment ${name} shows another state` };
}

const people: ReadonlySet<string> = new Set([
  'USER_PROMPT',
  'HUMAN_ANSWER',
  'WORK_MODULES_EDITED',
  'PROFILES_UPDATED_NOTIFICATION',
]);
function causeOfMessage(message: ChangedText | undefined, sides: TwoSides): Cause {
  const { name = '', kind = '' } = message ?? {};
  const item =
    sides.after?.turn.items.find((each) => each?.source === name) ?? sides.before?.turn.items.find((each) => each?.source === name);
  if (name === 'USER_PROMPT' && sides.inputDiffers) return { cause: 'input', detail: 'the runs began with different inputs' };
  if (kind.includes('→') && sides.profilesDiffer)
    return { cause: 'profile text', detail: `${name} goes through another ingestor: ${kind}` };
  if (message?.change === 'moved') {
    const isResult = name === 'TOOL_RESULT';
    return {
      cause: isResult ? 'tool result' : 'input',
      detail: `${name} stands elsewhere: what the turn read arrived in another order`,
    };
  }
  if (name === 'TOOL_RESULT') return { cause: 'tool result', detail: 'a tool returned something else' };
  if (item?.observerId !== undefined || item?.ruleId !== undefined) return ofProfile('messages', sides);
  if (item?.from !== undefined) return { cause: 'another agent', detail: `${name} says something else` };
  if (people.has(name)) return { cause: 'person', detail: `${name}: a person wrote something else, or at another time` };
  return { cause: 'input', detail: `${name} came from outside, or did not` };
}
