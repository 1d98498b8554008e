import { costText, countText, durationText, shareText } from '../../../inspect/format/text/quantity-text.ts';
import { cell, table } from '../../../inspect/format/text/table.ts';
import { toTerminalLine } from '../../../inspect/format/text/terminal-text.ts';
import { type FormatOptions, plainStyle, type TextStyle } from '../../../inspect/format/text/text-style.ts';
import { type DiffedLine, diffText } from '../../suite/diff-text.ts';
import type { BaselineComparison } from '../score/baseline.ts';
import type { CheckResult, CostEstimate, EvalPlan, EvalReport, EvalResult } from '../score/eval-result.ts';
import type { Tally } from '../score/statistics.ts';
import { type EvalCell, summarize } from '../score/summarize.ts';

const widest = 2_000;
const mostLines = 12;

/** Renders what an eval is about to do. */
export function formatPlan({ suite, round, runs, recorded, estimate }: EvalPlan, style: TextStyle = plainStyle): string {
  const left = runs - recorded;
  const known = recorded === 0 ? '' : `; the journal has ${recorded === runs ? 'all of them' : recorded}`;
  const head = `${style.bold(safe(suite))}  ${countText(runs, 'run')}${known}${round === 1 ? '' : `, round ${round}`}`;
  const cost = left === 0 ? 'No model is called for them; --again runs everything anew.' : estimateText(estimate);
  return `${head}\n${style.dim(cost)}`;
}

function estimateText({ costUsd, known, unknown, atMostUsd }: CostEstimate): string {
  const most = atMostUsd === undefined ? '' : `; at most ${costText(atMostUsd)} by its limits`;
  if (costUsd === null) return `No earlier run tells what these cost${most}.`;
  const rest = unknown === 0 ? '' : ` for ${known} of ${known + unknown} runs; none tells about the others`;
  return `Estimated cost, from earlier runs: ${costText(costUsd)}${rest}${most}.`;
}

/** Renders a result, with what did not pass. */
export function formatResult(result: EvalResult, style: TextStyle = plainStyle): string {
  const { status, variant, repeat, runId, turns, seconds, costUsd } = result;
  const figures = [
    countText(turns, 'turn'),
    durationText(seconds * 1000),
    ...(costUsd === 0 || costUsd === null ? [] : [costText(costUsd)]),
  ].join(', ');
  const facts =
    status === 'unfinished'
      ? runId === ''
        ? 'not begun'
        : `run ${runId}`
      : `${figures}${result.isRecorded ? ', recorded' : ''}, run ${runId}`;
  const head = `${markOf(status, style)} ${safe(result.case)} · ${safe(variant)}${repeat === 1 ? '' : ` · ${repeat}`}  ${style.dim(facts)}`;
  return [head, ...result.checks.filter(({ verdict }) => verdict !== 'passed').flatMap((check) => checkLines(check, style))].join(
    '\n',
  );
}

function markOf(status: EvalResult['status'], style: TextStyle): string {
  if (status === 'passed') return style.green('ok');
  if (status === 'failed') return style.red('FAILED');
  return status === 'error' ? style.red('ERROR') : style.yellow('unfinished');
}

function checkLines({ name, at, verdict, reason, expected, actual, judgeRun }: CheckResult, style: TextStyle): readonly string[] {
  const word = verdict === 'error' ? 'could not be made' : 'failed';
  const judged = judgeRun === undefined ? '' : style.dim(` (judge: run ${judgeRun})`);
  const lines = [`  ${safe(at)}: ${safe(name)} ${word}: ${safe(reason)}${judged}`];
  if (expected === undefined || actual === undefined) return lines;
  const compared = diffText(expected, actual);
  const more = compared.length > mostLines ? [style.dim(`    … ${compared.length - mostLines} more lines`)] : [];
  const legend = `    ${style.red('- expected')}  ${style.green('+ actual')}`;
  return [...lines, legend, ...compared.slice(0, mostLines).map((line) => `    ${lineText(line, style)}`), ...more];
}

function lineText({ sign, text }: DiffedLine, style: TextStyle): string {
  const line = sign === '@' ? `  … ${text}` : `${sign} ${safe(text)}`;
  if (sign === '-') return style.red(line);
  return sign === '+' ? style.green(line) : style.dim(line);
}

/** Renders the report: a table of the variants, one of the cases, and what the eval used. */
export function formatReport(report: EvalReport, { style = plainStyle, width }: FormatOptions = {}): string {
  const summaries = summarize(report);
  const head = ['variant', 'passed', '', '95 %', 'score', 'turns', 'time', 'cost'].map((title) => cell(title, style.dim));
  const rows = summaries.map(({ variant, all }) => [cell(safe(variant), style.bold), ...cellsOf(all, style)]);
  const parts = [table([head, ...rows], { width, least: { 0: 8 } }).join('\n')];
  const isMatrix = summaries.length > 1 || report.results.some(({ repeat }) => repeat > 1);
  if (isMatrix && report.cases.length > 1) parts.push(matrix(report, summaries, { style, width }));
  parts.push(spentText(report));
  return parts.join('\n\n');
}

function cellsOf(all: EvalCell, style: TextStyle): readonly ReturnType<typeof cell>[] {
  const { passed, runs, unfinished, errors, passRate, interval, score, turns, seconds, costUsd } = all;
  const colour = passed === runs ? style.green : style.red;
  const rest = [...(errors > 0 ? [`${errors} in error`] : []), ...(unfinished > 0 ? [`${unfinished} unfinished`] : [])];
  return [
    cell(`${passed}/${runs - unfinished}${rest.length === 0 ? '' : ` (${rest.join(', ')})`}`, colour),
    cell(passRate === undefined ? '–' : shareText(passRate), colour),
    cell(passRate === undefined ? '–' : `${Math.round(interval.low * 100)}–${shareText(interval.high)}`),
    cell(score.toFixed(2)),
    cell(turns.toFixed(1)),
    cell(durationText(seconds * 1000)),
    cell(costUsd === null ? 'unknown' : costText(costUsd)),
  ];
}

function matrix(
  { cases }: EvalReport,
  summaries: ReturnType<typeof summarize>,
  { style = plainStyle, width }: FormatOptions,
): string {
  const head = ['case', ...summaries.map(({ variant }) => safe(variant))].map((title) => cell(title, style.dim));
  const rows = cases.map((name, index) => [
    cell(safe(name)),
    ...summaries.map(({ cases: own }) => {
      const found = own[index]?.cell;
      if (found === undefined || found.runs === found.unfinished) return cell('–', style.dim);
      const { passed, runs, unfinished } = found;
      return cell(`${passed}/${runs - unfinished}`, passed === runs - unfinished ? style.green : style.red);
    }),
  ]);
  return table([head, ...rows], { width, least: { 0: 12 } }).join('\n');
}

function spentText({ results, spent, stopped }: EvalReport): string {
  const passed = results.filter(({ status }) => status === 'passed').length;
  const unfinished = results.filter(({ status }) => status === 'unfinished').length;
  const cost = spent.isCostUnknown ? costText(null, spent.costUsd) : costText(spent.costUsd);
  const line = `${passed} of ${countText(results.length, 'run')} passed; ${countText(spent.tokens, 'token')}, ${cost}, judges included`;
  if (stopped === undefined) return line;
  const why = stopped === 'budget' ? 'the budget is used up; with a larger one' : 'interrupted; the same command';
  return `${line}\nStopped with ${countText(unfinished, 'unfinished run')}: ${why}${stopped === 'budget' ? ' the same command' : ''} goes on.`;
}

/** Renders what changed since a baseline. */
export function formatBaseline(comparison: BaselineComparison, style: TextStyle = plainStyle): string {
  const { file, variants, cases, onlyBefore, onlyAfter } = comparison;
  const lines = [style.bold(`Since ${safe(file)}`)];
  for (const { variant, before, after, isWorse, probability } of variants)
    lines.push(
      `  ${safe(variant)}: ${tallyText(before)} → ${tallyText(after)}${isWorse ? style.red(`  worse (${chanceText(probability)})`) : ''}`,
    );
  for (const each of cases) {
    const mark =
      each.kind === 'worse'
        ? style.red(`worse (${chanceText(each.probability)})`)
        : each.kind === 'better'
          ? style.green('better')
          : style.yellow(`perhaps worse (${chanceText(each.probability)}); more repeats tell`);
    lines.push(`  ${safe(each.case)} · ${safe(each.variant)}: ${tallyText(each.before)} → ${tallyText(each.after)}  ${mark}`);
  }
  if (cases.length === 0 && variants.length > 0) lines.push('  every case passes as often as before');
  if (variants.length === 0) lines.push(style.yellow('  no variant of this eval is in the baseline'));
  if (onlyBefore.length > 0) lines.push(style.dim(`  only in the baseline: ${safe(onlyBefore.join(', '))}`));
  if (onlyAfter.length > 0) lines.push(style.dim(`  not in the baseline: ${safe(onlyAfter.join(', '))}`));
  return lines.join('\n');
}

function tallyText({ passed, runs }: Tally): string {
  return `${passed}/${runs}`;
}

function chanceText(probability: number): string {
  if (probability === 0) return 'nothing here is left to chance';
  return `by chance: ${probability < 0.001 ? 'p < 0.001' : `p = ${probability.toFixed(probability < 0.1 ? 3 : 2)}`}`;
}

function safe(text: string): string {
  return toTerminalLine(text, widest);
}
