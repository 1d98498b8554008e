import type { Differing } from '../rerender/compare-turn.ts';
import type { BeforeAfter, ChangedText, DecisionView, Rerendering } from '../rerender/rerendered-turn.ts';
import type { CallVerdict } from '../rerender/turn-facts.ts';
import { diffLines, type DiffLine } from '../turn/diff-lines.ts';
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
  const {
    start,
    systemPrompt = [],
    messages = [],
    history,
    tools,
    toolChoice,
    observers,
    items,
    state,
    decision,
    gates = [],
  } = difference;
  if (start !== undefined) out.line(`the turn would not begin: ${safe(start)}`, 2);
  for (const segment of systemPrompt) formatText(out, 'segment', segment, full);
  for (const message of messages) formatText(out, 'message', message, full);
  if (history !== undefined) formatPair(out, 'history', history);
  for (const name of tools?.added ?? []) out.line(out.style.green(`+ tool ${safe(name)}`), 2);
  for (const name of tools?.removed ?? []) out.line(out.style.red(`- tool ${safe(name)}`), 2);
  for (const name of tools?.changed ?? []) out.line(out.style.yellow(`~ tool ${safe(name)} is described differently`), 2);
  if (toolChoice !== undefined) formatPair(out, 'tool choice', toolChoice);
  if (observers !== undefined) formatList(out, 'observers that fired', observers, full);
  if (items !== undefined) formatList(out, 'items posted', items, full);
  if (state !== undefined) formatList(out, 'state changes', state, full);
  if (decision !== undefined)
    formatPair(out, 'decision', { before: decisionText(decision.before), after: decisionText(decision.after) });
  for (const { before, after } of gates)
    out.line(
      `call ${safe((after ?? before)?.callId ?? '')} of ${safe((after ?? before)?.tool ?? '')}: ${safe(verdictText(before))} → ${safe(verdictText(after))}`,
      2,
    );
}

const signs = { changed: '~', added: '+', removed: '-', moved: '↕' } as const;

function formatText(out: Layout, what: string, text: ChangedText, full: boolean): void {
  const { change, name, kind, source, error, lines } = text;
  const place = source === undefined ? '' : ` ${out.style.dim(`${safe(source.file)}:${source.line}`)}`;
  out.line(`${signs[change]} ${what} ${safe(name)} (${safe(kind)})${change === 'moved' ? ' has moved' : ''}${place}`, 2);
  if (error !== undefined) out.line(out.style.red(`it fails: ${safe(error)}`), 4);
  formatLines(out, lines, full);
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

function formatPair(out: Layout, what: string, { before, after }: BeforeAfter<string>): void {
  out.line(`${what}: ${safe(before)} → ${safe(after)}`, 2);
}

function formatList(out: Layout, what: string, { before, after }: BeforeAfter<readonly string[]>, full: boolean): void {
  out.line(`${what}:`, 2);
  formatLines(
    out,
    diffLines(before.join('\n'), after.join('\n')).filter(({ text }) => text !== ''),
    full,
  );
}

/** Renders a decision: `rule done: end_agent_turn (success)`. */
export function decisionText(view: DecisionView | undefined): string {
  if (view === undefined) return 'none';
  const rule = view.ruleId === undefined ? 'no rule' : `rule ${view.ruleId}`;
  const outcome = view.outcome === undefined ? '' : ` (${view.outcome})`;
  return `${rule}: ${view.action}${outcome}${view.detail === undefined ? '' : ` ${JSON.stringify(view.detail)}`}`;
}

function verdictText(call: CallVerdict | undefined): string {
  if (call === undefined) return 'not called';
  const { verdict, gateId, code, message } = call;
  if (verdict === 'asks') return `asks a person (gate ${gateId ?? ''})`;
  return verdict === 'runs'
    ? 'runs'
    : `${verdict}${code === undefined ? '' : ` ${code}`}${message === undefined ? '' : `: ${message}`}`;
}
