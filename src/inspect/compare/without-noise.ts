import type { CallId, RunId } from '../../core/ids.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { ReadContent } from '../read-content.ts';
import type { RecordedTurn } from './recorded-turns.ts';
import { readJson } from '../../core/read-json.ts';

/** The parts of a turn that two runs are compared by. */
export type ComparableTurn = Pick<RecordedTurn, 'facts' | 'reply' | 'results'>;

/** What a run calls itself and its tool calls: other words for the same in every run. */
export interface RunNames {
  readonly runId: RunId;
  /** Turn and position of each call. Ids of calls count over the run, in the order in which its agents happened to get there. */
  readonly calls: ReadonlyMap<string, string>;
}

/** Returns the names of a run whose turns are all in its state. */
export function namesOf({ meta, turns }: RunContext): RunNames {
  const calls = [...turns.values()].flatMap(({ start, calls: made }) =>
    made.map(({ request }, index): [CallId, string] => [request.callId, `${start.turnId}.call${index + 1}`]),
  );
  return { runId: meta.runId, calls: new Map(calls) };
}

/** Ids of calls, as `callId` of the fold writes them. */
const callIds = /\bc[0-9a-z]{8}\b/g;

/** Random marks of frames around data from outside, also inside JSON texts. */
const nonces = /nonce=(\\*["'])[a-z0-9]+\1/g;

/** Dates and times as prompts and results show them. */
const times =
  /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?|\b\d\d:\d\d(?::\d\d)?\b|\b1[5-9]\d{11}\b/g;

/**
 * Returns the function that takes out of a text what differs between any two runs: ids of the run and its calls, and the random marks of frames;
 * with `withoutTimes`, also dates and times.
 */
export function withoutNoise({ runId, calls }: RunNames, withoutTimes: boolean): (text: string) => string {
  return (text) => {
    const named = text.replaceAll(runId, 'RUN').replaceAll(callIds, (id) => calls.get(id) ?? id);
    const clean = named.replaceAll(nonces, 'nonce=$1…$1');
    return withoutTimes ? clean.replaceAll(times, 'TIME') : clean;
  };
}

/** Applies such a function to all texts of a turn. */
export function cleanTurn({ facts, reply, results }: ComparableTurn, clean: (text: string) => string): ComparableTurn {
  return {
    facts: cleanValue(readJson(JSON.stringify(facts)), clean) as ComparableTurn['facts'],
    reply: clean(reply),
    results: results.map(({ name, text }) => ({ name, text: clean(text) })),
  };
}

/** Cleans texts, names of fields, and numbers that are times. */
function cleanValue(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value);
  if (typeof value === 'number') {
    const text = clean(String(value));
    return text === String(value) ? value : text;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => cleanValue(item, clean));
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [clean(name), cleanValue(field, clean)]));
}

/** Applies such a function to the texts that a turn refers to. */
export function cleanContent(content: ReadContent, clean: (text: string) => string): ReadContent {
  return (hash) => {
    const text = content(hash);
    return text === undefined ? undefined : clean(text);
  };
}
