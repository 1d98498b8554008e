import type { DocumentIndex } from './search/document-index.ts';
import type { OpenDocument } from './parse/document-text.ts';
import { cutAround } from './cut-text.ts';
import { describeLeftOut } from './left-out.ts';
import { maxHitChars } from './document-limits.ts';
import { rankChunks, type RankedChunk, type RankRequest } from './search/rank-chunks.ts';
import { parseSearchQuery, type SearchQuery } from './search/search-terms.ts';
import { joinLines } from '../../files/text-lines.ts';
import { weighTerms, type WeightedQuery } from './search/weigh-terms.ts';

/** Query, scope and size of a search. */
export interface SearchRequest {
  readonly query: string;
  readonly limit: number;
  /** Documents or folders to search in; undefined for all. */
  readonly files?: readonly string[];
  /** `all` drops hits that lack a word; `any` only ranks them lower. */
  readonly mode: 'any' | 'all';
}

/** One hit: whole lines of one document, verbatim. */
export interface SearchHit {
  readonly file: string;
  readonly line: number;
  readonly end_line: number;
  readonly heading: string;
  /** Larger is better; only comparable within one search. */
  readonly score: number;
  readonly matched_terms: readonly string[];
  readonly text: string;
  /** True when a single line was too long, and `text` is a piece of it. */
  readonly cut?: true;
}

/** Answer to a search; `note` says in plain words what the hits do not. */
export interface SearchAnswer {
  readonly query: string;
  readonly terms: readonly string[];
  readonly missing_terms: readonly string[];
  readonly hits: readonly SearchHit[];
  readonly total_files: number;
  readonly note?: string;
}

// A document that is written continuously must not keep a search busy forever.
const maxAttempts = 3;

/**
 * Searches the documents and reads each hit from disk, so that its text is the current text of its lines.
 *
 * @throws CadreError `PATH_REFUSED` or `TOOL_FAILED` for a file to search in that is outside or unknown
 */
export async function searchDocuments(index: DocumentIndex, request: SearchRequest): Promise<SearchAnswer> {
  const parsed = parseSearchQuery(request.query);
  for (let attempt = 1; ; attempt += 1) {
    const among = request.files === undefined ? undefined : request.files.flatMap((file) => index.rowsOf(file));
    const query = weighTerms(index, parsed.terms);
    const rankRequest: RankRequest = { query, mode: request.mode, limit: request.limit, ...(among === undefined ? {} : { among }) };
    const hits = await readHits(index, rankChunks(index, rankRequest), attempt === maxAttempts);
    if (hits === undefined) continue;
    const note = describe(parsed, query, { hits, leftOut: describeLeftOut(index.stats().leftOut) });
    return {
      query: request.query.length > 300 ? `${request.query.slice(0, 300)}…` : request.query,
      terms: parsed.terms.map(({ word }) => word),
      missing_terms: query.missing,
      hits,
      total_files: index.documents().length,
      ...(note === undefined ? {} : { note }),
    };
  }
}

/** Reads the texts of ranked chunks; undefined when a document changed, so that its chunks must be ranked again. */
async function readHits(index: DocumentIndex, ranked: readonly RankedChunk[], last: boolean): Promise<SearchHit[] | undefined> {
  const hits: SearchHit[] = [];
  for (const chunk of ranked) {
    const document = await openIfIndexed(index, chunk.file);
    // A changed document got new rows: the lines of this one belong to the old text.
    if (document === undefined || index.place(chunk.row) === undefined) {
      if (!last) return undefined;
      continue;
    }
    const { text, cut } = cutAround(joinLines(document.lines, chunk.line, chunk.endLine), chunk.matchedTerms, maxHitChars);
    hits.push({
      file: chunk.file,
      line: chunk.line,
      end_line: chunk.endLine,
      heading: chunk.heading,
      score: Math.round(chunk.score * 100) / 100,
      matched_terms: chunk.matchedTerms,
      text,
      ...(cut ? { cut: true as const } : {}),
    });
  }
  return hits;
}

async function openIfIndexed(index: DocumentIndex, file: string): Promise<OpenDocument | undefined> {
  if (!index.has(file)) return undefined;
  try {
    return await index.open(file);
  } catch (error) {
    // The index drops an unreadable document: the search itself did not fail.
    if (!index.has(file)) return undefined;
    throw error;
  }
}

function describe(
  parsed: SearchQuery,
  { present, missing }: WeightedQuery,
  { hits, leftOut }: { readonly hits: readonly SearchHit[]; readonly leftOut: string | undefined },
): string | undefined {
  const notes: string[] = [];
  if (parsed.terms.length === 0) notes.push('The query has no word in it to search for.');
  else if (hits.length === 0) {
    const why = present.length > 0 ? ': no section has enough of the words' : '';
    notes.push(`Nothing was found${why}. Try other words, fewer words, or list_documents.`);
    if (leftOut !== undefined) notes.push(`Not searched, because these files are not read: ${leftOut}.`);
  }
  if (missing.length > 0) notes.push(`Not in any of the documents: ${missing.join(', ')}.`);
  const best = hits[0];
  if (best !== undefined && best.matched_terms.length < parsed.terms.length - missing.length) {
    notes.push('No section has all the words; these have some of them.');
  }
  if (parsed.shortened) notes.push('The query was too long; only its beginning was used.');
  return notes.length === 0 ? undefined : notes.join(' ');
}
