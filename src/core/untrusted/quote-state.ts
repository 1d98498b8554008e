import { toText } from '../expression/json-text.ts';
import type { Quote, Watch } from '../expression/quote.ts';
import type { Scope } from '../expression/roots.ts';
import type { ContentHash } from '../ids.ts';
import { frameAtPlace } from './frame-untrusted.ts';
import { type OriginsEnv, type Reader, scopeOrigins } from './scope-origins.ts';
import { textsIn } from './keep-frames.ts';
import type { Labels } from './taint.ts';
import { isTrusted, mapEntries, originsAt, type Origins, ScopeWatch } from './watch-scope.ts';

/** What quoting needs besides state. */
export type QuoteEnv = OriginsEnv & { readonly hash: (text: string) => ContentHash };

/** Frames the untrusted text in one text, item or payload. */
export interface StateQuotes {
  readonly quote: Quote;
  /** Returns the untrusted sources of all text quoted so far. */
  readonly labels: () => Labels;
  /** Begins to observe code that writes a text itself. */
  readonly watch: (scope: Scope) => ScopeWatch;
  /** Returns a text that code wrote, framed when the code read untrusted text. */
  readonly written: (watch: ScopeWatch, text: string) => string;
  /** Returns a value that code read, with the untrusted text in it framed. */
  readonly shown: (watch: ScopeWatch, value: unknown) => unknown;
  /** True when a quoted value was untrusted data: an object or a list, and not only text. */
  readonly holdsData: () => boolean;
}

/**
 * Creates the framing of untrusted text where state is shown: in a segment, an item of an observer or a rule, a text of a profile. Text of
 * which any part was read from an untrusted value is framed, whatever the expression made of it; data keeps its form, with the untrusted
 * text in it framed.
 *
 * @param place where it is shown, such as the id of a segment: frames of different places have different nonces
 * @param framed texts whose untrusted parts have frames already; they stay as they are, and what an expression makes of them does not
 */
export function stateQuotes(env: QuoteEnv, quoted: Reader, place: string, framed?: ReadonlySet<string>): StateQuotes {
  const frame = frameAtPlace(quoted.run, quoted.agent, env.hash, place);
  return quotesOf(env, quoted, { frame: (text) => frame('state', text), framed });
}

/** Like `stateQuotes`, but leaves values as they are: for what is stored or passed on as data, with its sources beside it. */
export function stateReads(env: OriginsEnv, quoted: Reader): StateQuotes {
  return quotesOf(env, quoted, {});
}

/** How untrusted text is framed; without a function, it is only counted. */
interface FrameOptions {
  readonly frame?: (text: string) => string;
  readonly framed?: ReadonlySet<string> | undefined;
}

function quotesOf(env: OriginsEnv, quoted: Reader, { frame, framed }: FrameOptions): StateQuotes {
  const labels = new Set<string>();
  let holdsData = false;
  const count = (watch: ScopeWatch): boolean => {
    for (const label of watch.labels) labels.add(label);
    return watch.labels.size > 0;
  };
  const observe = (scope: Scope): ScopeWatch => new ScopeWatch(scope, scopeOrigins(env, quoted));
  const written = (watch: ScopeWatch, text: string): string =>
    text !== '' && count(watch) && frame !== undefined ? frame(text) : text;
  const shown = (watch: ScopeWatch, value: unknown, source = ''): unknown => {
    watch.readAll(value);
    if (!mayCarry(value) || !count(watch)) return watch.unwrap(value);
    holdsData ||= typeof value === 'object';
    return frame === undefined ? watch.unwrap(value) : framedData(value, { watch, source, frame });
  };
  const quote = (scope: Scope, source: string): Watch => {
    const watch = observe(scope);
    return {
      scope: watch.scope,
      text: (value) => {
        const text = toText(value);
        if (!mayCarry(value)) return text;
        if (framed === undefined || !textsIn(watch.unwrap(value)).every((each) => framed.has(each))) return written(watch, text);
        count(watch);
        return text;
      },
      data: (value) => shown(watch, value, source),
    };
  };
  return {
    quote,
    watch: observe,
    written,
    shown,
    labels: () => (labels.size === 0 ? none : [...labels].toSorted()),
    holdsData: () => holdsData,
  };
}

const none: Labels = [];

/** False for values that hold no text: their origins are of no account. */
function mayCarry(value: unknown): boolean {
  return typeof value === 'string' ? value !== '' : typeof value === 'object' && value !== null;
}

/** An expression that read untrusted text, and how that is framed. */
interface Framing {
  readonly watch: ScopeWatch;
  readonly source: string;
  readonly frame: (text: string) => string;
}

/** Frames the untrusted text in data that an expression read or made: text by text, and objects from outside as one text. */
function framedData(value: unknown, framing: Framing): unknown {
  const { watch, source, frame } = framing;
  // What an expression made of several values is untrusted as a whole.
  if (typeof value === 'string') return frame(value);
  if (typeof value !== 'object' || value === null) return value;
  const view = watch.viewed(value);
  if (view !== undefined) return framedAt(view.target, view.origins, frame);
  // Keys that are not in the expression came out of what it read.
  if (!Array.isArray(value) && !Object.keys(value).every((key) => source.includes(key))) return frame(toText(value));
  return mapEntries(value, (each) => framedData(each, framing));
}

/** Frames the untrusted text in a value with these origins. */
export function framedAt(value: unknown, origins: Origins, frame: (text: string) => string): unknown {
  if (isTrusted(origins)) return value;
  if (typeof value === 'string') return value === '' ? value : frame(value);
  if (typeof value !== 'object' || value === null) return value;
  if ('length' in origins) return Object.keys(value).length === 0 ? value : frame(toText(value));
  return mapEntries(value, (each, key) => framedAt(each, originsAt(origins, key), frame));
}
