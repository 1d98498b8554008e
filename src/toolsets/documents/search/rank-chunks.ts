import type { DocumentIndex } from './document-index.ts';
import type { ChunkPlace } from './index-store.ts';
import { joinMatches, type ScoredRow } from './full-text-index.ts';
import type { WeightedQuery, WeightedTerm } from './weigh-terms.ts';

/** A chunk that matches a query, before its text is read. */
export interface RankedChunk extends ChunkPlace {
  readonly row: number;
  readonly score: number;
  /** Words of the query found in it or in the headings above it, in query order. */
  readonly matchedTerms: readonly string[];
}

/** Query and limits of a ranking. */
export interface RankRequest {
  readonly query: WeightedQuery;
  readonly mode: 'any' | 'all';
  readonly limit: number;
  /** Rows to rank; undefined for all. */
  readonly among?: readonly number[];
}

const candidateCount = 300;
// A chunk that covers less than a third of the words' weight is about something else.
const leastCoverage = 1 / 3;
// Each further chunk of one file counts less, so that one long page does not hide all others.
const repeatFactor = 0.85;
// The beginning of a document introduces its topic, and is where a person would start to read.
const openingFactor = 1.3;
// Changelogs and the like repeat every word; they rank below pages about the current state.
const historyFactor = 0.8;
const historyName = /(?:^|[/_-])(?:change-?log|release-notes?|migrat|upgrad)/i;
const historyWord = /^(?:change-?log|release|migrat|upgrad|version)/;

/**
 * Ranks chunks: those with all words first, then by bm25 times how much of the query's weight they cover; drops chunks that cover too
 * little.
 */
export function rankChunks(index: DocumentIndex, request: RankRequest): readonly RankedChunk[] {
  const { present, missing, total } = request.query;
  if (present.length === 0 || (request.mode === 'all' && missing.length > 0)) return [];
  const rows = findCandidates(index, request);
  const numbers = [...rows.keys()];
  const matches = present.map((term) => ({ term, rows: index.fullText.matching(term.match, numbers) }));
  const ranked: RankedChunk[] = [];
  for (const [row, score] of rows) {
    const place = index.place(row);
    if (place === undefined) continue;
    const matched = matches.filter((match) => match.rows.has(row)).map(({ term }) => term);
    const coverage = matched.reduce((sum, { weight }) => sum + weight, 0) / total;
    if (coverage < leastCoverage) continue;
    const final = score * (0.25 + 0.75 * coverage) * placeFactor(place, present);
    ranked.push({ ...place, row, score: final, matchedTerms: matched.map(({ word }) => word) });
  }
  return spreadOverFiles(ranked, present.length).slice(0, request.limit);
}

function placeFactor(place: ChunkPlace, terms: readonly WeightedTerm[]): number {
  const asksForHistory = terms.some(({ word }) => historyWord.test(word));
  const history = !asksForHistory && historyName.test(place.file) ? historyFactor : 1;
  return history * (place.opens ? openingFactor : 1);
}

function findCandidates(index: DocumentIndex, { query, mode, among }: RankRequest): ReadonlyMap<number, number> {
  const rows = new Map<number, number>();
  const add = (found: readonly ScoredRow[]): void => found.forEach(({ row, score }) => rows.set(row, score));
  add(index.fullText.rank(joinMatches(query.present, 'AND'), candidateCount, among));
  if (mode === 'any') add(index.fullText.rank(joinMatches(query.present, 'OR'), candidateCount, among));
  return rows;
}

/** Sorts best first, chunks with all words before the others, and lowers the further chunks of a file. */
function spreadOverFiles(ranked: readonly RankedChunk[], termCount: number): readonly RankedChunk[] {
  const seen = new Map<string, number>();
  const lowered = ranked.toSorted(byScore).map((chunk) => {
    const before = seen.get(chunk.file) ?? 0;
    seen.set(chunk.file, before + 1);
    return { ...chunk, score: chunk.score * repeatFactor ** before };
  });
  const hasAll = (chunk: RankedChunk): number => (chunk.matchedTerms.length === termCount ? 1 : 0);
  return lowered.toSorted((left, right) => hasAll(right) - hasAll(left) || byScore(left, right));
}

function byScore(left: RankedChunk, right: RankedChunk): number {
  return right.score - left.score || (left.file < right.file ? -1 : left.file > right.file ? 1 : left.line - right.line);
}
