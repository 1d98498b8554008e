import { cutAround } from '../cut-text.ts';
import type { DocumentIndex } from './document-index.ts';
import type { OpenDocument } from '../parse/document-text.ts';
import { maxPassageChars } from '../document-limits.ts';
import { FullTextIndex } from './full-text-index.ts';
import { parseSearchQuery, toIndexText } from './search-terms.ts';
import { joinLines } from '../../files/text-lines.ts';
import { weighTerms, type WeightedTerm } from './weigh-terms.ts';
import { type Passage, listPassages } from './document-passages.ts';

/** A quotable passage: `text` is the verbatim text of its lines. */
export interface FoundPassage {
  readonly file: string;
  readonly line: number;
  readonly end_line: number;
  readonly heading: string;
  readonly text: string;
  readonly matched_terms: readonly string[];
  /** True when the lines are too long to quote, and `text` is a piece of them. */
  readonly cut?: true;
}

/** The answer to a search for passages; `note` says in plain words when there are none. */
export interface PassagesAnswer {
  readonly file: string;
  readonly query: string;
  readonly passages: readonly FoundPassage[];
  readonly note?: string;
}

// Names match throughout code; prose that says the same is the better quote.
const codeFactor = 0.55;
const headingShare = 0.35;

/** Document, query and size of a search for passages. */
export interface PassagesRequest {
  readonly file: string;
  readonly query: string;
  readonly limit: number;
}

/**
 * Finds the passages of one document most relevant to a query, best first.
 *
 * @throws CadreError `PATH_REFUSED` or `TOOL_FAILED` when the document cannot be opened
 */
export async function findPassages(index: DocumentIndex, { file, query, limit }: PassagesRequest): Promise<PassagesAnswer> {
  const document = await index.open(file);
  const { terms } = parseSearchQuery(query);
  const { present } = weighTerms(index, terms);
  const ranked = await rankPassages(document, present);
  const passages = ranked.slice(0, limit).map(({ passage, matched }): FoundPassage => {
    const whole = joinLines(document.lines, passage.line, passage.endLine);
    const { text, cut } = cutAround(whole, matched, maxPassageChars);
    return {
      file: document.file,
      line: passage.line,
      end_line: passage.endLine,
      heading: passage.heading,
      text,
      matched_terms: matched,
      ...(cut ? { cut: true as const } : {}),
    };
  });
  const note = passages.length > 0 ? {} : { note: 'No passage of this document has one of the words.' };
  return { file: document.file, query: query.slice(0, 300), passages, ...note };
}

interface RankedPassage {
  readonly passage: Passage;
  readonly matched: readonly string[];
  readonly score: number;
}

async function rankPassages(document: OpenDocument, terms: readonly WeightedTerm[]): Promise<readonly RankedPassage[]> {
  const passages = listPassages(document.blocks, document.lines);
  const scratch = await FullTextIndex.open();
  try {
    scratch.batch(() => {
      passages.forEach((passage, row) => {
        const text = toIndexText(joinLines(document.lines, passage.line, passage.endLine));
        scratch.add(row, { title: '', heading: toIndexText(passage.heading), prose: text, code: '' });
      });
    });
    const rows = [...passages.keys()];
    const found = terms.map((term) => ({
      term,
      inText: scratch.matching(`prose : (${term.match})`, rows),
      inHeading: scratch.matching(`heading : (${term.match})`, rows),
    }));
    const ranked = passages.flatMap((passage, row): RankedPassage[] => {
      const matched = found.filter(({ inText }) => inText.has(row));
      if (matched.length === 0) return [];
      const above = found.filter(({ inText, inHeading }) => !inText.has(row) && inHeading.has(row));
      const score = (sumOf(matched) + headingShare * sumOf(above)) * quality(passage, document.lines);
      return [{ passage, matched: matched.map(({ term }) => term.word), score }];
    });
    return ranked.toSorted((left, right) => right.score - left.score || left.passage.line - right.passage.line);
  } finally {
    scratch.close();
  }
}

function sumOf(found: readonly { readonly term: WeightedTerm }[]): number {
  return found.reduce((sum, { term }) => sum + term.weight, 0);
}

/** Scores a passage as a quote: whole sentences of some length, rather than labels, lead-ins and links. */
function quality(passage: Passage, lines: readonly string[]): number {
  const text = joinLines(lines, passage.line, passage.endLine).trim();
  if (passage.kind === 'code') return codeFactor;
  const short = text.length < 40 ? 0.7 : 1;
  const leadIn = text.endsWith(':') ? 0.8 : 1;
  const onlyLink = text.length < 1000 && /^(?:[-*+]\s+)?\[[^\]]*\]\([^)]*\)[.]?$/.test(text) ? 0.5 : 1;
  return short * leadIn * onlyLink * (text.length > maxPassageChars ? 0.9 : 1);
}
