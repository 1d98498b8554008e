import { CadreError } from '../../core/error.ts';
import { parseToken, readKnowledge, showToken, type KnowledgeEntry } from '../../core/team/knowledge.ts';
import type { ToolContext } from '../../core/tool/tool.ts';
import { splitLines } from '../../files/text-lines.ts';

/** The requested part of a kept result. */
export interface ReadRequest {
  readonly token: string;
  /** First character, from 0. */
  readonly from: number;
  readonly chars: number;
  /** Limits the answer to lines with these words, and the lines around them. */
  readonly query: string | undefined;
}

type Source = Pick<ToolContext, 'team' | 'stored'>;

const linesAround = 2;

/**
 * Reads a part of a kept result, or its lines that match a query.
 *
 * @throws CadreError `TOOL_FAILED` for an unknown token
 */
export function readKept(context: Source, { token, from, chars, query }: ReadRequest): string {
  const { name, entry, text } = kept(context, token);
  const head = `${showToken(name)}: result of ${entry.tool}${entry.source === '' ? '' : ` (${entry.source})`}, ${text.length} characters`;
  if (query !== undefined) return `${head}\n${matchingLines(text, query, chars)}`;
  if (from >= text.length) throw failed(`${showToken(name)} has ${text.length} characters; there is nothing from ${from} on.`);
  const part = text.slice(from, from + chars).toWellFormed();
  const end = from + part.length;
  const more = end < text.length ? `; go on with from: ${end}` : '';
  return `${head}; ${from} to ${end}${more}\n${part}`;
}

/** Lists kept results, one per line: token, tool, subject, length. */
export function listKept({ team }: Pick<Source, 'team'>): string {
  const entries = [...readKnowledge(team['shared'])];
  if (entries.length === 0) return 'Nothing is kept yet. Long results of tools are kept, and shown as a preview with a token.';
  const chars = entries.reduce((sum, [, entry]) => sum + entry.chars, 0);
  const lines = entries.map(
    ([token, { tool, source, chars: length, seen }]) =>
      `${showToken(token)} ${tool}${source === '' ? '' : ` ${JSON.stringify(source)}`}, ${length} characters${seen > 1 ? `, seen ${seen} times` : ''}`,
  );
  return `${entries.length} results are kept, ${chars} characters in all.\n${lines.join('\n')}`;
}

function kept(
  context: Source,
  requested: string,
): { readonly name: string; readonly entry: KnowledgeEntry; readonly text: string } {
  const known = readKnowledge(context.team['shared']);
  const name = parseToken(requested);
  const entry = name === undefined ? undefined : known.get(name);
  if (name === undefined || entry === undefined) {
    const tokens = [...known.keys()];
    const some =
      tokens.length === 0
        ? 'Nothing is kept yet'
        : `There are ${tokens.slice(-5).map(showToken).join(', ')}; list_knowledge shows all`;
    throw failed(`Nothing is kept under ${JSON.stringify(requested.slice(0, 50))}. ${some}.`);
  }
  const text = context.stored(entry.hash);
  if (text === undefined) throw failed(`The text of ${showToken(name)} is not in the store any more. Call ${entry.tool} again.`);
  return { name, entry, text };
}

/** Returns the lines with most of the words, each with its neighbours, in the order of the text. */
function matchingLines(text: string, query: string, maxChars: number): string {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])];
  const lines = splitLines(text);
  const scored = scoreLines(lines, words);
  if (scored.length === 0) return `No line has any of the words ${words.map((word) => JSON.stringify(word)).join(', ')}.`;
  const shown = new Set<number>();
  let [room, hits] = [maxChars, 0];
  for (const { index } of scored) {
    const around = range(Math.max(0, index - linesAround), Math.min(lines.length - 1, index + linesAround)).filter(
      (at) => !shown.has(at),
    );
    const cost = around.reduce((sum, at) => sum + Math.min(lines[at]?.length ?? 0, maxLineChars) + 12, 0);
    if (cost > room && hits > 0) break;
    around.forEach((at) => shown.add(at));
    room -= cost;
    hits += 1;
  }
  const numbered = [...shown].toSorted((left, right) => left - right);
  const body = numbered.map(
    (at, place) => `${place > 0 && numbered[place - 1] !== at - 1 ? '--\n' : ''}${at + 1}: ${clip(lines[at] ?? '', words)}`,
  );
  return `${hits} of ${scored.length} lines that match, best ones\n${body.join('\n')}`;
}

/** Scores lines by the weight of their words, rarer ones higher; drops lines with less than half of the best score. */
function scoreLines(
  lines: readonly string[],
  words: readonly string[],
): readonly { readonly index: number; readonly score: number }[] {
  const lowered = lines.map((line) => line.toLowerCase());
  const weights = words.map((word) =>
    Math.log(1 + lines.length / Math.max(1, lowered.filter((line) => line.includes(word)).length)),
  );
  const scored = lowered.map((line, index) => ({
    index,
    score: words.reduce((sum, word, at) => sum + (line.includes(word) ? (weights[at] ?? 0) : 0), 0),
  }));
  const best = scored.reduce((most, { score }) => Math.max(most, score), 0);
  return scored
    .filter(({ score }) => score > 0 && score >= best / 2)
    .toSorted((left, right) => right.score - left.score || left.index - right.index);
}

const maxLineChars = 1_000;

/** Shortens a long line to a window around its first matching word. */
function clip(line: string, words: readonly string[]): string {
  if (line.length <= maxLineChars) return line;
  const places = words.map((word) => line.toLowerCase().indexOf(word)).filter((place) => place >= 0);
  const from = Math.max(0, Math.min(...places, line.length) - maxLineChars / 2);
  const start = places.length === 0 ? 0 : from;
  return `${start > 0 ? `… (from character ${start}) ` : ''}${line.slice(start, start + maxLineChars).toWellFormed()}…`;
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

function failed(message: string): CadreError {
  return new CadreError('TOOL_FAILED', message);
}
