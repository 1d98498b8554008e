import type { TurnRow } from '../turn-list.ts';
import { Layout, safe } from './text/layout.ts';
import { spanText, tokensText } from './text/quantity-text.ts';
import { cell, table } from './text/table.ts';
import { plainStyle, styledStatus, type FormatOptions } from './text/text-style.ts';

/** Minimum widths of the columns for turn id, inputs and actions in a narrow table. */
const least = { 0: 10, 4: 6, 5: 12 };

/** Renders turns, one per line: id, status, duration, tokens, what it read, what it did. */
export function formatTurnList(rows: readonly TurnRow[], options: FormatOptions = {}): string {
  const style = options.style ?? plainStyle;
  const out = new Layout(options);
  if (rows.length === 0) return out.line('No turns.').toString();
  const header = ['TURN', 'STATUS', 'TIME', 'TOKENS', 'READ', 'DID'].map((title) => cell(title, style.dim));
  const body = rows.map((row) => [
    // The end of a long id is enough to name the turn.
    cell(safe(row.turnId, 60), style.bold, 'end'),
    cell(row.status, (text) => styledStatus(style, text)),
    cell(spanText(row.startedAt, row.endedAt)),
    cell(tokensText(row.inputTokens, row.outputTokens)),
    cell(safe(counted(row.sources), 60)),
    cell(safe(didText(row), 100)),
  ]);
  for (const line of table([header, ...body], { width: options.width, least })) out.branch(line, '', '  ');
  return out.toString();
}

/** Describes a turn in a few words: its calls, otherwise its text, otherwise its action or error. */
export function didText(row: TurnRow): string {
  const calls = counted(row.tools.map((tool) => (tool.status === 'ok' ? tool.name : `${tool.name} (${tool.status})`)));
  const said = calls === '' ? row.reply.slice(0, 60) : calls;
  if (row.error !== undefined) return [said, `error: ${row.error}`].filter((part) => part !== '').join('; ');
  const action = row.action === undefined || row.action === 'continue_with_tool' ? '' : row.action;
  return [said, action].filter((part) => part !== '').join(' → ');
}

/** Joins words with commas and counts duplicates. */
export function counted(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => (count === 1 ? word : `${count}× ${word}`)).join(', ');
}
