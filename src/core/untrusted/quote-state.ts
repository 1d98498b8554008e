import type { Quote } from '../expression/template.ts';
import { frameAtPlace } from './frame-untrusted.ts';
import type { ContentHash } from '../ids.ts';
import { isJsonObject, type JsonValue } from '../json.ts';
import type { SubContext } from '../state/sub-context.ts';
import type { RunContext } from '../state/run-context.ts';
import { carriesWords, taintOfPaths } from '../patches/state-taint.ts';

/** Frames the untrusted text in one text, item or payload. */
export interface StateQuotes {
  readonly quote: Quote;
  /** Returns the untrusted sources of all text framed so far. */
  readonly labels: () => readonly string[];
}

/**
 * Creates the framing of untrusted text where state is shown: in a segment, an item of an observer or a rule, a text of a
 * profile. Undefined when no state holds such text, which avoids the cost.
 *
 * @param place where it is shown, such as the id of a segment: frames of different places have different nonces
 */
export function stateQuotes(
  run: RunContext,
  agent: SubContext,
  hash: (text: string) => ContentHash,
  place: string,
): StateQuotes | undefined {
  if (!run.isTainted && agent.stateTaint.size === 0 && run.team.taint.size === 0) return undefined;
  let labels: Set<string> | undefined;
  const quote: Quote = (value, paths) => {
    if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return value;
    if (!carriesWords(value as JsonValue)) return value;
    const found = taintOfPaths(run, agent, paths);
    if (found.length === 0) return value;
    labels ??= new Set();
    for (const label of found) labels.add(label);
    const frame = frameAtPlace(run, agent, hash, place);
    return framedTexts(value as JsonValue, (text) => frame('state', text));
  };
  return { quote, labels: () => (labels === undefined ? none : [...labels].toSorted()) };
}

const none: readonly never[] = [];

/** Frames each text of several words in a value. */
function framedTexts(value: JsonValue, framed: (text: string) => string): JsonValue {
  if (typeof value === 'string') return carriesWords(value) ? framed(value) : value;
  if (Array.isArray(value)) return value.map((each: JsonValue) => framedTexts(each, framed));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(
    ([key, each = null]) => [carriesWords(key) ? framed(key) : key, framedTexts(each, framed)] as const,
  );
  return Object.fromEntries(entries);
}
