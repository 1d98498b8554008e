import { cutAround } from '../cut-text.ts';
import type { DocumentIndex } from './document-index.ts';
import type { OpenDocument } from '../parse/document-text.ts';
import { maxPassageChars } from '../document-limits.ts';
import { FullTextIndex } from './full-text-index.ts';
import { parseSearchQuery, toIndexText } from './search-terms.ts';
import { joinLines } from '../../../files/text-lines.ts';
import { weighTerms, type WeightedTerm } from './weigh-terms.ts';
import { joinHeadings, type DocumentBlock } from '../parse/document-block.ts';

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

/** A few quotable lines: a paragraph or a part of it, a list item, a table row, or one line of code. */
interface Passage {
  readonly line: number;
  readonly endLine: number;
  readonly kind: 'prose' | 'code';
  /** The headings above, outermost first, joined with ` > `. */
  readonly heading: string;
}

/** Lists the quotable passages of a document, in order; leaves out headings, tags, frontmatter and imports. */
function listPassages(blocks: readonly DocumentBlock[], lines: readonly string[]): readonly Passage[] {
  const passages: Passage[] = [];
  const path: { readonly level: number; readonly text: string }[] = [];
  let heading = '';
  for (const block of blocks) {
    if (block.heading !== undefined) {
      while ((path.at(-1)?.level ?? 0) >= block.heading.level) path.pop();
      path.push(block.heading);
      heading = joinHeadings(path);
    } else if (block.kind === 'prose') {
      passages.push(...splitProse(block, lines).map((part) => ({ ...part, kind: 'prose' as const, heading })));
    } else if (block.kind === 'code') {
      passages.push(...codeLines(block, lines).map((line) => ({ line, endLine: line, kind: 'code' as const, heading })));
    }
  }
  return passages;
}

/** Splits a long paragraph where a sentence ends with its line, or else before the line that would exceed the limit. */
function splitProse(
  block: DocumentBlock,
  lines: readonly string[],
): readonly { readonly line: number; readonly endLine: number }[] {
  if (joinLines(lines, block.line, block.endLine).length <= maxPassageChars) return [{ line: block.line, endLine: block.endLine }];
  const parts: { line: number; endLine: number }[] = [];
  let from = block.line;
  let length = 0;
  for (let line = block.line; line <= block.endLine; line += 1) {
    const text = lines[line - 1] ?? '';
    if (line > from && length + text.length + 1 > maxPassageChars) {
      parts.push({ line: from, endLine: line - 1 });
      from = line;
      length = 0;
    }
    length += text.length + 1;
    if (line < block.endLine && length > maxPassageChars / 2 && /[.!?。！？]["')\]*_`]{0,3}\s*$/.test(text.slice(-20))) {
      parts.push({ line: from, endLine: line });
      from = line + 1;
      length = 0;
    }
  }
  parts.push({ line: from, endLine: block.endLine });
  return parts;
}

const boilerplate = /^(?:(?:[-*+>]|\d+[.)])\s+)?(?:`{3,}|~{3,}|\.\.\s|import\s|from\s.*\simport\s|(?:#include|using|use)\s)/;

/** Returns the lines of a code block with content: fences, directives and imports are left out. */
function codeLines(block: DocumentBlock, lines: readonly string[]): readonly number[] {
  const numbers: number[] = [];
  for (let line = block.line; line <= block.endLine; line += 1) {
    const text = (lines[line - 1] ?? '').trim();
    if (/[\p{L}\p{N}]/u.test(text) && !boilerplate.test(text)) numbers.push(line);
  }
  return numbers;
}
