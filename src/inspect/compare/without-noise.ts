import type { RunId } from '../../core/ids.ts';
import type { ReadContent } from '../read-content.ts';
import type { RecordedTurn } from './recorded-turns.ts';

/** The parts of a turn that two runs are compared by. */
export type ComparableTurn = Pick<RecordedTurn, 'facts' | 'reply' | 'results'>;

/** Random marks of frames around data from outside, also inside JSON texts. */
const nonces = /nonce=(\\*["'])[a-z0-9]+\1/g;

/** Dates and times as prompts and results show them. */
const times =
  /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?|\b\d\d:\d\d(?::\d\d)?\b|\b1[5-9]\d{11}\b/g;

/**
 * Returns the function that takes out of a text what differs between any two runs: the run's id and the random marks of frames; with
 * `withoutTimes`, also dates and times.
 */
export function withoutNoise(runId: RunId, withoutTimes: boolean): (text: string) => string {
  return (text) => {
    const clean = text.replaceAll(runId, 'RUN').replaceAll(nonces, 'nonce=$1…$1');
    return withoutTimes ? clean.replaceAll(times, 'TIME') : clean;
  };
}

/** Applies such a function to all texts of a turn. */
export function cleanTurn({ facts, reply, results }: ComparableTurn, clean: (text: string) => string): ComparableTurn {
  return {
    facts: JSON.parse(JSON.stringify(facts), (_, value: unknown) => cleanValue(value, clean)) as ComparableTurn['facts'],
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
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [clean(name), field as unknown]));
}

/** Applies such a function to the texts that a turn refers to. */
export function cleanContent(content: ReadContent, clean: (text: string) => string): ReadContent {
  return (hash) => {
    const text = content(hash);
    return text === undefined ? undefined : clean(text);
  };
}
