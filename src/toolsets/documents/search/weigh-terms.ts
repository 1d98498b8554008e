import type { DocumentIndex } from './document-index.ts';
import type { SearchTerm } from './search-terms.ts';

/** A search word that occurs, with its weight: the rarer in the documents, the higher. */
export interface WeightedTerm {
  readonly word: string;
  /** FTS5 expression that finds it. */
  readonly match: string;
  readonly weight: number;
}

/** The words of a query, split into those that occur and those that occur nowhere. */
export interface WeightedQuery {
  readonly present: readonly WeightedTerm[];
  readonly missing: readonly string[];
  /** Weight of all words together; a missing word counts as much as the average present one. */
  readonly total: number;
}

/** Looks up how often each word occurs, in the first of its forms that occurs at all. */
export function weighTerms(index: DocumentIndex, terms: readonly SearchTerm[]): WeightedQuery {
  const rows = index.stats().sections;
  const present: WeightedTerm[] = [];
  const missing: string[] = [];
  for (const term of terms) {
    const found = findTerm(index, term);
    if (found === undefined) missing.push(term.word);
    else
      present.push({ word: term.word, match: found.match, weight: Math.log(1 + (rows - found.count + 0.5) / (found.count + 0.5)) });
  }
  const known = present.reduce((sum, { weight }) => sum + weight, 0);
  const average = present.length === 0 ? 1 : known / present.length;
  return { present, missing, total: known + missing.length * average };
}

function findTerm(index: DocumentIndex, term: SearchTerm): { readonly match: string; readonly count: number } | undefined {
  for (const match of term.matches) {
    const count = index.fullText.count(match);
    if (count > 0) return { match, count };
  }
  return undefined;
}
