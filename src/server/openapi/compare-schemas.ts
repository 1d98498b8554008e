import type { JsonObject } from '../../core/json.ts';
import type {
  ComparedTurn,
  FirstDifference,
  PairComparison,
  RunComparison,
  RunFigures,
  TurnFigures,
} from '../../inspect/compare/run-comparison.ts';
import type { ComparedResult, RefNames, TurnComparison } from '../../inspect/compare/turn-comparison.ts';
import type { TurnDiff } from '../../inspect/turn/diff-turns.ts';
import { count, listOf, maybe, named, number, objects, recordOf, text, texts } from './schema-record.ts';

const dollars: JsonObject = { type: ['number', 'null'], description: 'US dollars; null when unknown.' };
const parts: JsonObject = {
  type: 'array',
  items: text,
  description: 'Parts that differ; empty when the turns are the same, `clock` alone when only dates and times differ.',
};
const difference: JsonObject = {
  type: 'object',
  description: 'What of the prompt, observers, gates and decision differs; a part that is the same is absent.',
};
const pairOf = (of: JsonObject): JsonObject =>
  recordOf<{ readonly before: unknown; readonly after: unknown }>({ before: of as never, after: of as never });
const refNames = recordOf<RefNames>({
  items: { type: 'object', additionalProperties: text },
  calls: { type: 'object', additionalProperties: text },
});

/** Schemas of comparisons of runs, by their names in the API's description. */
export const compareSchemas: Readonly<Record<string, JsonObject>> = {
  RunComparison: recordOf<RunComparison>({ runs: listOf(named('RunFigures')), pairs: listOf(named('PairComparison')) }),
  RunFigures: recordOf<RunFigures>({
    runId: text,
    title: text,
    profile: text,
    status: text,
    outcome: maybe(text),
    output: text,
    turns: count,
    toolCalls: count,
    modelCalls: count,
    inputTokens: count,
    outputTokens: count,
    cost: dollars,
    costAtLeast: number,
    ms: number,
    agents: count,
  }),
  PairComparison: recordOf<PairComparison>({
    before: text,
    after: text,
    same: count,
    differ: count,
    turns: listOf(recordOf<ComparedTurn>({ before: maybe(named('TurnFigures')), after: maybe(named('TurnFigures')), parts })),
    first: maybe(
      recordOf<FirstDifference>({
        turnId: text,
        part: text,
        cause: { type: 'string', description: 'Where the difference came from, such as profile text, model reply, tool result.' },
        detail: text,
        difference,
        texts: maybe(pairOf(text)),
      }),
    ),
  }),
  TurnFigures: recordOf<TurnFigures>({
    turnId: text,
    ms: maybe(number),
    inputTokens: count,
    outputTokens: count,
    cost: dollars,
    model: maybe(text),
    decision: text,
    calls: texts,
  }),
  TurnComparison: recordOf<TurnComparison>({
    turnId: text,
    before: maybe(named('TurnFigures')),
    after: maybe(named('TurnFigures')),
    parts,
    difference,
    reply: maybe(pairOf(text)),
    results: listOf(recordOf<ComparedResult>({ tool: text, before: text, after: text })),
    prompt: maybe(
      recordOf<Omit<TurnDiff, 'stateChanges'>>({
        before: text,
        after: text,
        entries: objects,
        tokens: recordOf<TurnDiff['tokens']>({ same: count, added: count, removed: count }),
        sharedPrefix: recordOf<TurnDiff['sharedPrefix']>({ characters: count, share: number }),
        tools: recordOf<TurnDiff['tools']>({ added: texts, removed: texts }),
      }),
    ),
    names: pairOf(refNames),
  }),
};
