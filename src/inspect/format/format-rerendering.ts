import type { Differing } from '../rerender/compare-turn.ts';
import { differencePieces, type DifferencePiece } from '../rerender/difference-pieces.ts';
import type { Rerendering } from '../rerender/rerendered-turn.ts';
import type { DiffLine } from '../turn/diff-lines.ts';
import { Layout, safe } from './text/layout.ts';
import { countText } from './text/quantity-text.ts';
import { toTerminalText } from './text/terminal-text.ts';
import type { FormatOptions } from './text/text-style.ts';

/** Turns shown with their differences, and lines shown of each text, unless everything is asked for. */
const [mostTurns, mostLines] = [20, 12];

/** Renders what edited profiles would have changed: a summary, then each turn that differs; equal changes are shown once. */
export function formatRerendering(result: Rerendering, options: FormatOptions = {}): string {
  const out = new Layout(options);
  const { style } = out;
  const runs = result.runs.length === 1 ? safe(result.runs[0]?.runId ?? '') : countText(result.runs.length, 'run');
  out.line(
    `${style.bold(countText(result.turns, 'turn'))} of ${runs} re-rendered: ${style.green(`${result.same} the same`)}, ${result.differ === 0 ? '0 differ' : style.red(`${result.differ} ${result.differ === 1 ? 'differs' : 'differ'}`)}`,
  );
  for (const { profile, what, turns } of result.where)
    out.line(`${safe(profile)}: ${safe(what)}  ${style.dim(countText(turns, 'turn'))}`, 2);
  if (result.runs.length > 1)
    for (const run of result.runs)
      out.line(`${safe(run.runId)}  ${run.same} the same, ${run.differ === 0 ? '0 differ' : style.red(`${run.differ} differ`)}`, 2);
  for (const run of result.runs) for (const note of run.notes) out.line(style.yellow(`${safe(run.runId)}: ${safe(note)}`));
  formatTurns(out, result, options);
  return out.toString();
}

function formatTurns(out: Layout, { differences, runs }: Rerendering, options: FormatOptions): void {
  const shown = options.full === true ? differences : differences.slice(0, mostTurns);
  const known = new Map<string, string>();
  for (const difference of shown) {
    const name = `${runs.length > 1 ? `${difference.runId} ` : ''}${difference.turnId}`;
    out.heading(`${safe(name)}  ${safe(difference.parts.join(', '))}`);
    const piece = new Layout(options);
    formatDifference(piece, difference, options.full === true);
    const text = piece.toString();
    const before = known.get(text);
    if (before === undefined) {
      known.set(text, name);
      for (const line of text.trimEnd().split('\n')) out.line(line.trimStart(), line.length - line.trimStart().length);
    } else out.line(out.style.dim(`the same differences as in ${safe(before)}`), 2);
  }
  const left = differences.length - shown.length;
  if (left > 0) out.line().line(out.style.dim(`… and ${countText(left, 'more turn')} that differ; --full shows all of them`));
}

/** Renders what differs between two versions of a turn. */
export function formatDifference(out: Layout, difference: Differing, full: boolean): void {
  for (const piece of differencePieces(difference)) formatPiece(out, piece, full);
}

const signs = { changed: '~', added: '+', removed: '-', moved: '↕' } as const;

function formatPiece(out: Layout, piece: DifferencePiece, full: boolean): void {
  const { style } = out;
  switch (piece.kind) {
    case 'sentence': {
      const paint = { added: style.green, removed: style.red, changed: style.yellow, moved: style.yellow };
      out.line(piece.mark === undefined ? safe(piece.text) : paint[piece.mark](`${signs[piece.mark]} ${safe(piece.text)}`), 2);
      return;
    }
    case 'pair':
      out.line(`${safe(piece.title)}: ${safe(piece.before)} → ${safe(piece.after)}`, 2);
      return;
    case 'lines': {
      const { title, mark, source, error, lines } = piece;
      const place = source === undefined ? '' : ` ${style.dim(`${safe(source.file)}:${source.line}`)}`;
      out.line(mark === undefined ? `${safe(title)}:` : `${signs[mark]} ${safe(title)}${place}`, 2);
      if (error !== undefined) out.line(style.red(`it fails: ${safe(error)}`), 4);
      formatLines(out, lines, full);
    }
  }
}

function formatLines(out: Layout, lines: readonly DiffLine[], full: boolean): void {
  const shown = lines.filter(({ kind }) => kind !== 'same');
  for (const line of full ? shown : shown.slice(0, mostLines)) {
    const sign = line.kind === 'added' ? '+' : '-';
    const paint = line.kind === 'added' ? out.style.green : out.style.red;
    out.line(paint(`${sign} ${toTerminalText(line.text, { maxLine: full ? 2_000 : 240 })}`), 4);
  }
  if (!full && shown.length > mostLines) out.line(out.style.dim(`… (+${countText(shown.length - mostLines, 'line')})`), 4);
}
