import { maxQueryChars, maxQueryTerms } from '../document-limits.ts';

/** One word of a query, and the FTS5 expression that finds it. */
export interface SearchTerm {
  /** The word in lower case, as it is reported back. */
  readonly word: string;
  /**
   * FTS5 expressions to try until one matches anywhere: the word itself, the parts of a name like `generateText` as a phrase, words that
   * begin with it. No part of the query reaches FTS5 outside quotes.
   */
  readonly matches: readonly string[];
}

/** A parsed query. */
export interface SearchQuery {
  readonly terms: readonly SearchTerm[];
  /** True when the query exceeded the length limit. */
  readonly shortened: boolean;
}

const wordPattern = /[\p{L}\p{N}\p{M}]+(?:['’]\p{L}+)*/gu;
// Scripts written without spaces between words: each character is indexed as its own word.
const unspaced = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const unspacedCharacter = new RegExp(`[${unspaced}]\\p{M}*`, 'gu');
const unspacedRun = new RegExp(`(?:[${unspaced}]\\p{M}*)+`, 'gu');
// Where those scripts lie, with others: texts without any such character need not be searched for each script.
const mayBeUnspaced = /[\u0e00-\u1fff\u2e80-\uffff]/;
const innerCapital = /.[A-Z]/;
const longestWord = 60;

/** English words without a topic; a query of nothing else keeps them. */
const stopWords: ReadonlySet<string> = new Set(
  `a about after all also am an and any anybody anyone anything are as at be because been before being between both but by
  can cannot could did difference differences do does doing done down during each either else ever every explain few for from further get gets getting
  give given had happen happens has have having he her here hers him his how however i if in into is it its itself just kind let like
  make makes making many may me might mine more most much must my neither no nor not now of off on once one only or other
  our ours out over own please possible rather same shall she should show so some somebody someone something such tell than
  that the their theirs them then there these they thing things this those through to too under until up upon us use
  used uses using very want wants was way ways we were what when where whether which while who whom whose why will with
  within without work works working would yes yet you your yours`.split(/\s+/),
);

/**
 * Extracts the search words of a query. Everything except letters and digits only separates words, so no operator, quote, star or column
 * filter of a hostile query survives. Stop words are dropped unless there is nothing else.
 */
export function parseSearchQuery(query: string): SearchQuery {
  const text = query.slice(0, maxQueryChars).normalize('NFC');
  const words = wordsOf(text);
  const meaning = words.filter((word) => !isStopWord(word));
  const kept = meaning.length > 0 ? meaning : words;
  const terms = new Map<string, SearchTerm>();
  for (const word of kept) {
    for (const term of toTerms(word)) {
      if (terms.size < maxQueryTerms && !terms.has(term.word)) terms.set(term.word, term);
    }
  }
  return { terms: [...terms.values()], shortened: query.length > maxQueryChars || kept.length > maxQueryTerms };
}

/**
 * Prepares text for the index, where words are separated by everything except letters and digits: names like `generateText` are indexed
 * whole and in parts, and scripts without spaces character by character.
 */
export function toIndexText(text: string): string {
  const named = text.replace(/[A-Za-z][A-Za-z0-9]{2,79}/g, (name) => {
    // Most words have no capital inside, and no parts.
    if (!innerCapital.test(name)) return name;
    const parts = splitName(name);
    return parts === name ? name : `${name} ${parts}`;
  });
  return mayBeUnspaced.test(named) ? named.replace(unspacedCharacter, ' $& ') : named;
}

function wordsOf(text: string): readonly string[] {
  return Array.from(text.matchAll(wordPattern), ([word]) => word.replaceAll('’', "'").slice(0, longestWord));
}

function isStopWord(word: string): boolean {
  const lower = word.toLowerCase();
  // "don't", "isn't": the only words with this ending are function words.
  return lower.endsWith("n't") || stopWords.has(bareWord(lower)) || /^[a-z]$/.test(lower);
}

/** Removes the English ending of a word: "model's" → "model", "what's" → "what", "I'll" → "i". */
function bareWord(word: string): string {
  return word.split("'")[0] ?? word;
}

function toTerms(word: string): readonly SearchTerm[] {
  const bare = bareWord(word);
  const spaced = bare.replace(unspacedRun, ' ').trim();
  const terms = Array.from(bare.matchAll(unspacedRun), ([run]) => unspacedTerms(run)).flat();
  if (spaced === '') return terms;
  return [
    ...spaced
      .split(' ')
      .filter((part) => part !== '')
      .map(spacedTerm),
    ...terms,
  ];
}

function spacedTerm(word: string): SearchTerm {
  const parts = splitName(word);
  const lower = word.toLowerCase();
  const phrase = parts === word ? [] : [quote(parts)];
  return { word: lower, matches: [quote(word), ...phrase, ...(lower.length >= 4 ? [`${quote(word)} *`] : [])] };
}

/** Returns pairs of neighbouring characters, the closest equivalent of words in scripts without spaces. */
function unspacedTerms(run: string): readonly SearchTerm[] {
  const characters = run.match(unspacedCharacter) ?? [];
  const pairs =
    characters.length < 2 ? [characters] : characters.slice(1).map((second, index) => [characters[index] ?? '', second]);
  return pairs.map((pair) => ({ word: pair.join(''), matches: [quote(pair.join(' '))] }));
}

function splitName(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/(?<![A-Z])([A-Z]+)([A-Z][a-z])/g, '$1 $2');
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
