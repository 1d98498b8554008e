import { CadreError } from '../../core/error.ts';
import type { TurnId } from '../../core/ids.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { callIndex } from '../call-index.ts';
import type { Differing } from '../rerender/compare-turn.ts';
import type { BeforeAfter } from '../rerender/rerendered-turn.ts';
import { type ComparablePrompt, diffTurns, type TurnDiff } from '../turn/diff-turns.ts';
import type { PromptSpan } from '../turn/prompt-spans.ts';
import type { TurnRecord } from '../turn/turn-record.ts';
import { type ComparedRun, readRun, sideOf } from './compare-runs.ts';
import { compareTurns, oneSided } from './compare-turns.ts';
import type { RecordedTurn } from './recorded-turns.ts';
import type { ComparedPart, TurnFigures } from './run-comparison.ts';
import { type RunNames, withoutNoise } from './without-noise.ts';

/** The result of a call in both runs. */
export interface ComparedResult extends BeforeAfter<string> {
  readonly tool: string;
}

/** Names of what spans of a prompt refer to: the source of an item by its id, the tool of a call by its id. */
export interface RefNames {
  readonly items: Readonly<Record<string, string>>;
  readonly calls: Readonly<Record<string, string>>;
}

/** One turn of two runs beside each other; a side is absent when that run has no such turn. */
export interface TurnComparison {
  readonly turnId: string;
  readonly before: TurnFigures | undefined;
  readonly after: TurnFigures | undefined;
  /** Parts that differ, as in the comparison of the runs. */
  readonly parts: readonly ComparedPart[];
  /** What of the prompt, observers, gates and decision differs. */
  readonly difference: Differing;
  /** The reply with its calls, when it differs. */
  readonly reply?: BeforeAfter<string>;
  /** Results that differ. */
  readonly results: readonly ComparedResult[];
  /** Difference of the prompts, span by span, without ids of runs and marks of frames; absent when a side is. */
  readonly prompt?: Omit<TurnDiff, 'stateChanges'>;
  /** Names for the spans that differ, of each run. */
  readonly names: BeforeAfter<RefNames>;
}

/** A run to compare a turn of, with the records of its turns. */
export interface RunWithRecords extends ComparedRun {
  readonly record: (turnId: TurnId) => TurnRecord;
}

/** Compares one turn of two runs in full. Fails with TURN_UNKNOWN when neither run has a turn of this id that called a model. */
export function compareOneTurn(turnId: string, a: RunWithRecords, b: RunWithRecords): TurnComparison {
  const [left, right] = [readRun(a), readRun(b)];
  const [before, after] = [left, right].map(({ turns }) => turns.find((turn) => turn.turnId === turnId));
  const sides = { turnId, before: before?.figures, after: after?.figures };
  if (before === undefined || after === undefined) {
    if (before === undefined && after === undefined)
      throw new CadreError('TURN_UNKNOWN', `neither run has a turn '${turnId}' that called a model`);
    const { parts, difference } = oneSided;
    return { ...sides, parts, difference, results: [], names: { before: noNames, after: noNames } };
  }
  const { parts, difference } = compareTurns(sideOf(left, before), sideOf(right, after));
  const { stateChanges: _, ...prompt } = diffTurns(
    plainRecord(a.record(before.turnId), left.names),
    plainRecord(b.record(after.turnId), right.names),
  );
  const differing = prompt.entries.flatMap((entry) => (entry.kind === 'same' ? [] : [entry]));
  const names = {
    before: refNames(
      left.run,
      differing.flatMap((entry) => (entry.kind === 'removed' ? [entry.span] : entry.kind === 'changed' ? [entry.before] : [])),
    ),
    after: refNames(
      right.run,
      differing.flatMap(({ kind, span }) => (kind === 'removed' ? [] : [span])),
    ),
  };
  const reply = parts.includes('reply') ? { reply: { before: before.reply, after: after.reply } } : {};
  const results = parts.includes('results') ? differingResults(before, after) : [];
  return { ...sides, parts, difference, ...reply, results, prompt, names };
}

const noNames: RefNames = { items: {}, calls: {} };

/** Takes out of a prompt what differs between any two runs. */
function plainRecord({ turnId, inputs, tools, prompt }: TurnRecord, names: RunNames): ComparablePrompt {
  const plain = withoutNoise(names, false);
  const spans = prompt.spans.map((span) => ({ ...span, text: plain(span.text) }));
  return { turnId, inputs, tools, prompt: { spans, text: plain(prompt.text) }, stateChanges: [] };
}

function refNames(run: RunContext, spans: readonly PromptSpan[]): RefNames {
  const calls = callIndex(run);
  const tools = spans.flatMap(({ callId }): readonly (readonly [string, string])[] => {
    const tool = callId === undefined ? undefined : calls.get(callId)?.call.request.name;
    return callId === undefined || tool === undefined ? [] : [[callId, tool]];
  });
  const items = spans.flatMap(({ source, turnId, ref }): readonly (readonly [string, string])[] => {
    const turn = source !== 'item' || turnId === undefined ? undefined : run.turns.get(turnId as TurnId);
    const input = turn?.start.inputs.find(({ itemId }) => itemId === ref);
    return input === undefined ? [] : [[ref, input.source]];
  });
  return { items: Object.fromEntries(items), calls: Object.fromEntries(tools) };
}

function differingResults(before: RecordedTurn, after: RecordedTurn): readonly ComparedResult[] {
  const count = Math.max(before.results.length, after.results.length);
  return Array.from({ length: count }, (_, index) => [before.results[index], after.results[index]] as const).flatMap(([a, b]) =>
    a?.text === b?.text && a?.name === b?.name ? [] : [{ tool: (b ?? a)?.name ?? '', before: a?.text ?? '', after: b?.text ?? '' }],
  );
}
