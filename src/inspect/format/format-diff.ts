import type { DiffLine } from '../turn/diff-lines.ts';
import type { DiffEntry, TurnDiff } from '../turn/diff-turns.ts';
import type { PromptSpan } from '../turn/prompt-spans.ts';
import { beforeAfter } from '../../core/patches/state-changes.ts';
import { Layout, safe } from './text/layout.ts';
import { countText, shareText } from './text/quantity-text.ts';
import { toTerminalText } from './text/terminal-text.ts';
import type { FormatOptions } from './text/text-style.ts';

/** Renders the differences between two turns' prompts, with counts of the equal parts, and the state changes of both. */
export function formatDiff(diff: TurnDiff, options: FormatOptions = {}): string {
  const out = new Layout(options);
  const { style } = out;
  out.line(
    `${style.bold(`${safe(diff.before)} → ${safe(diff.after)}`)}  about ${diff.tokens.same} tokens the same, ${style.green(`+${diff.tokens.added}`)}, ${style.red(`-${diff.tokens.removed}`)}`,
  );
  out.line(
    style.dim(
      `the first ${countText(diff.sharedPrefix.characters, 'character')} are the same (${shareText(diff.sharedPrefix.share)} of the later prompt)`,
    ),
  );
  for (const name of diff.tools.added) out.line(style.green(`+ tool ${safe(name)}`));
  for (const name of diff.tools.removed) out.line(style.red(`- tool ${safe(name)}`));
  let same = 0;
  for (const entry of diff.entries) {
    if (entry.kind === 'same') {
      same++;
      continue;
    }
    if (same > 0) out.line(style.dim(`  ${countText(same, 'piece')} the same`));
    same = 0;
    formatEntry(out, entry, options.full ?? false);
  }
  if (same > 0) out.line(style.dim(`  ${countText(same, 'piece')} the same`));
  formatChanges(out, diff);
  return out.toString();
}

function formatChanges(out: Layout, { stateChanges }: TurnDiff): void {
  if (stateChanges.length > 0) out.heading('State changes');
  for (const change of stateChanges) {
    const by = change.by === undefined ? '' : ` by ${safe(change.by)}`;
    out.line(`${safe(change.path)}  ${safe(beforeAfter(change))}${out.style.dim(`${by} in ${safe(change.turnId)}`)}`, 2);
  }
}

function formatEntry(out: Layout, entry: DiffEntry, full: boolean): void {
  const { style } = out;
  const name = spanName(entry.span);
  switch (entry.kind) {
    case 'same':
      return;
    case 'changed':
      out.line(style.yellow(`~ ${name}`));
      formatLines(out, entry.lines, full);
      return;
    case 'added':
    case 'removed': {
      const sign = entry.kind === 'added' ? '+' : '-';
      const paint = entry.kind === 'added' ? style.green : style.red;
      out.line(paint(`${sign} ${name}`));
      formatLines(
        out,
        entry.span.text.split('\n').map((text) => ({ kind: entry.kind, text })),
        full,
      );
    }
  }
}

function spanName(span: PromptSpan): string {
  return `${span.source.replace('_', ' ')} ${safe(span.ref)} (${span.role}${span.ephemeral === true ? ', this turn only' : ''})`;
}

function formatLines(out: Layout, lines: readonly DiffLine[], full: boolean): void {
  const shown = lines.filter((line) => line.kind !== 'same');
  const most = full ? 20_000 : 12;
  for (const line of shown.slice(0, most)) {
    const sign = line.kind === 'added' ? '+' : '-';
    const paint = line.kind === 'added' ? out.style.green : out.style.red;
    out.line(paint(`${sign} ${toTerminalText(line.text, { maxLine: full ? 2000 : 240 })}`), 4);
  }
  if (shown.length > most) out.line(out.style.dim(`… (+${countText(shown.length - most, 'line')})`), 4);
}
