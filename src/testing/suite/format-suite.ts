import { countText } from '../../inspect/format/text/quantity-text.ts';
import { plainStyle, type TextStyle } from '../../inspect/format/text/text-style.ts';
import { toTerminalLine } from '../../inspect/format/text/terminal-text.ts';
import { formatDiagnostic } from '../../profiles/format-diagnostics.ts';
import type { SourceRef } from '../../core/profile/source-ref.ts';
import type { Failure } from '../expect/failure.ts';
import { behaviourKinds, type CoverageCounts } from '../../inspect/tests/test-report.ts';
import type { TeamCoverage } from './coverage.ts';
import { diffText, type DiffedLine } from './diff-text.ts';
import type { CaseResult, SuiteReport } from './run-suite.ts';

const widest = 2_000;

/** Renders a case that passed or failed, with a comparison for each expectation that does not hold. */
export function formatCase({ name, profile, failures }: CaseResult, style: TextStyle = plainStyle): string {
  const mark = failures.length === 0 ? style.green('ok') : style.red('FAILED');
  const head = `${mark} ${safe(profile)}: ${safe(name)}`;
  return [head, ...failures.map((failure) => formatFailure(failure, style))].join('\n');
}

/** Renders a failure: place, sentence, and expected and actual lines. */
export function formatFailure({ at, message, expected, actual }: Failure, style: TextStyle = plainStyle): string {
  const head = `  ${placeText(at)}: ${safe(message)}`;
  if (expected === undefined || actual === undefined) return head;
  const legend = `    ${style.red('- expected')}  ${style.green('+ actual')}`;
  return [head, legend, ...diffText(expected, actual).map((line) => `    ${lineText(line, style)}`)].join('\n');
}

function lineText({ sign, text }: DiffedLine, style: TextStyle): string {
  const line = sign === '@' ? `  … ${text}` : `${sign} ${safe(text)}`;
  if (sign === '-') return style.red(line);
  if (sign === '+') return style.green(line);
  return style.dim(line);
}

/** Renders problems of test files and profiles, one per line. */
export function formatProblems({ problems }: Pick<SuiteReport, 'problems'>, style: TextStyle = plainStyle): string {
  return problems.map((problem) => `${style.red('error')} ${safe(formatDiagnostic(problem))}`).join('\n');
}

/** Renders the last lines of a run of tests: counts, written snapshots, what the filter left out. */
export function formatSummary({ cases, problems, skipped, written }: SuiteReport, style: TextStyle = plainStyle): string {
  const failed = cases.filter(({ failures }) => failures.length > 0).length;
  const passed = cases.length - failed;
  const counts = [
    ...(failed > 0 ? [style.red(`${failed} failed`)] : []),
    style.green(`${passed} passed`),
    ...(skipped > 0 ? [`${skipped} left out by --filter`] : []),
    ...(problems.length > 0 ? [style.red(countText(problems.length, 'problem'))] : []),
  ];
  const ms = cases.reduce((sum, each) => sum + each.ms, 0);
  const snapshots = written.map((file) => `wrote ${safe(file)}`);
  return [...snapshots, `${countText(cases.length, 'case')}: ${counts.join(', ')} (${Math.round(ms)} ms)`].join('\n');
}

/** Renders what no test has exercised, by team and profile. */
export function formatCoverage(teams: readonly TeamCoverage[], style: TextStyle = plainStyle): string {
  return teams
    .flatMap(({ team, counts, profiles, unexercised }) => [
      `${style.bold(`Coverage of ${safe(team)}`)}  ${countsText(counts)}`,
      ...profiles.map(({ profile, counts: own }) => `  ${safe(profile)}  ${style.dim(countsText(own))}`),
      ...(unexercised.length === 0 ? [] : [style.yellow('  not exercised by any test:')]),
      ...unexercised.map(
        ({ kind, id, profile, at }) =>
          `    ${placeText(at)}: ${kind.replace(/(?:ie)?s$/, (end) => (end === 'ies' ? 'y' : ''))} ${safe(id)} of ${safe(profile)}`,
      ),
    ])
    .join('\n');
}

function countsText(counts: CoverageCounts): string {
  return behaviourKinds
    .flatMap((kind) => (counts[kind].total === 0 ? [] : [`${kind} ${counts[kind].exercised}/${counts[kind].total}`]))
    .join(', ');
}

function placeText({ file, line, column }: SourceRef): string {
  return safe(`${file}:${line}:${column}`);
}

function safe(text: string): string {
  return toTerminalLine(text, widest);
}
