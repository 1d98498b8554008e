import type { FirstDifference, PairComparison, RunComparison, RunFigures, TurnFigures } from '../compare/run-comparison.ts';
import { diffLines } from '../turn/diff-lines.ts';
import { formatDifference } from './format-rerendering.ts';
import { Layout, safe } from './text/layout.ts';
import { costText, countText, durationText, tokensText } from './text/quantity-text.ts';
import { cell, table } from './text/table.ts';
import { toTerminalText } from './text/terminal-text.ts';
import type { FormatOptions } from './text/text-style.ts';

const [mostTurns, mostLines] = [40, 12];

/** Renders a comparison: figures of all runs, and for each pair its first difference with the cause, and its turns. */
export function formatComparison({ runs, pairs }: RunComparison, options: FormatOptions = {}): string {
  const out = new Layout(options);
  formatFigures(out, runs, pairs);
  for (const pair of pairs) {
    if (pairs.length > 1) out.heading(`${safe(pair.before)} and ${safe(pair.after)}`);
    else out.line();
    formatPair(out, pair, options);
  }
  return out.toString();
}

function formatFigures(out: Layout, runs: readonly RunFigures[], pairs: readonly PairComparison[]): void {
  const titles = ['run', 'profile', 'status', 'turns', 'differ', 'calls', 'tokens', 'cost', 'time'];
  const rows = runs.map((run, index) => {
    const pair = pairs[index - 1];
    return [
      run.runId,
      run.profile,
      run.outcome ?? run.status,
      String(run.turns),
      pair === undefined ? '' : String(pair.differ),
      String(run.toolCalls),
      tokensText(run.inputTokens, run.outputTokens),
      costText(run.cost, run.costAtLeast),
      durationText(run.ms),
    ];
  });
  const cells = [titles.map((title) => cell(title, out.style.dim)), ...rows.map((row) => row.map((text) => cell(safe(text))))];
  for (const line of table(cells, { width: out.width, least: { 0: 10, 1: 6 } })) out.line(line);
}

function formatPair(out: Layout, pair: PairComparison, options: FormatOptions): void {
  const { style } = out;
  if (pair.first === undefined) {
    out.line(style.green(`${countText(pair.same, 'turn')}, no difference`));
    return;
  }
  formatFirst(out, pair.first, options.full === true);
  out.heading(`Turns  ${pair.same} the same, ${pair.differ} differ`);
  const shown = options.full === true ? pair.turns : pair.turns.slice(0, mostTurns);
  for (const { before, after, parts } of shown) {
    const name = (after ?? before)?.turnId ?? '';
    const isSame = parts.every((part) => part === 'clock');
    const what = isSame ? style.green(parts.length === 0 ? 'same' : 'same but for times') : style.red(safe(parts.join(', ')));
    const side = before === undefined ? '  only in the second run' : after === undefined ? '  only in the first run' : '';
    out.line(`${safe(name)}  ${what}${side}  ${style.dim(safe(figuresText(before, after)))}`, 2);
  }
  const left = pair.turns.length - shown.length;
  if (left > 0) out.line(style.dim(`… and ${countText(left, 'more turn')}; --full shows all of them`), 2);
}

function formatFirst(out: Layout, first: FirstDifference, full: boolean): void {
  const { style } = out;
  out.line(`${style.bold('First difference')}  ${safe(first.turnId)}, ${safe(first.part)}`);
  out.line(`cause: ${style.bold(first.cause)}, ${safe(first.detail)}`, 2);
  formatDifference(out, first.difference, full);
  if (first.texts === undefined) return;
  const lines = diffLines(first.texts.before, first.texts.after).filter(({ kind, text }) => kind !== 'same' && text !== '');
  for (const line of full ? lines : lines.slice(0, mostLines)) {
    const paint = line.kind === 'added' ? style.green : style.red;
    out.line(paint(`${line.kind === 'added' ? '+' : '-'} ${toTerminalText(line.text, { maxLine: full ? 2_000 : 240 })}`), 4);
  }
  if (!full && lines.length > mostLines) out.line(style.dim(`… (+${countText(lines.length - mostLines, 'line')})`), 4);
}

function figuresText(before: TurnFigures | undefined, after: TurnFigures | undefined): string {
  const one = ({ ms, inputTokens, outputTokens, cost }: TurnFigures): string =>
    [
      tokensText(inputTokens, outputTokens),
      ms === undefined ? 'not ended' : durationText(ms),
      ...(cost === null ? [] : [costText(cost)]),
    ].join(', ');
  const texts = [...new Set([before, after].flatMap((each) => (each === undefined ? [] : [one(each)])))];
  return texts.join(' → ');
}
