import type { JsonObject } from '../../../core/json.ts';
import { xmlText } from '../../suite/xml-text.ts';
import { type BaselineComparison, reportFormat } from '../score/baseline.ts';
import type { CheckResult, EvalReport, EvalResult } from '../score/eval-result.ts';
import { isPassed, summarize } from '../score/summarize.ts';
import { readJson } from '../../../core/read-json.ts';

/** Returns a report as JSON, which is also a baseline for later ones. */
export function evalJson(report: EvalReport, comparison?: BaselineComparison): JsonObject {
  const { suite, file, round, results, spent, stopped, passRate } = report;
  const whole = {
    format: reportFormat,
    suite,
    file,
    round,
    ok: isPassed(report) && comparison?.isWorse !== true,
    pass_rate: passRate,
    stopped: stopped ?? null,
    spent,
    variants: summarize(report),
    results,
    ...(comparison === undefined ? {} : { baseline: comparison }),
  };
  return readJson(JSON.stringify(whole)) as JsonObject;
}

/** Returns a report as JUnit XML: a suite per variant, a test case per run. */
export function evalJunit({ suite, file, variants, results }: EvalReport): string {
  const suites = variants.map(({ name }) => {
    const own = results.filter(({ variant }) => variant === name);
    return `  <testsuite name="${xmlText(`${suite} · ${name}`)}" ${countsOf(own)}>\n${own.map((each) => caseOf(each, file)).join('')}  </testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="cadre eval" ${countsOf(results)}>\n${suites.join('')}</testsuites>\n`;
}

function countsOf(results: readonly EvalResult[]): string {
  const count = (status: EvalResult['status']): number => results.filter((each) => each.status === status).length;
  const seconds = results.reduce((sum, each) => sum + each.seconds, 0);
  return `tests="${results.length}" failures="${count('failed')}" errors="${count('error')}" skipped="${count('unfinished')}" time="${seconds.toFixed(3)}"`;
}

function caseOf(result: EvalResult, file: string): string {
  const { variant, repeat, status, checks, runId, seconds } = result;
  const name = repeat === 1 ? result.case : `${result.case} · ${repeat}`;
  const head = `    <testcase name="${xmlText(name)}" classname="${xmlText(variant)}" file="${xmlText(file)}" time="${seconds.toFixed(3)}"`;
  const parts = [
    ...(status === 'unfinished' ? ['      <skipped message="the eval stopped before this run ended"/>\n'] : []),
    ...checks.filter(({ verdict }) => verdict !== 'passed').map(problemOf),
    ...(runId === '' ? [] : [`      <system-out>${xmlText(`run ${runId}`)}</system-out>\n`]),
  ];
  return parts.length === 0 ? `${head}/>\n` : `${head}>\n${parts.join('')}    </testcase>\n`;
}

function problemOf({ name, at, verdict, reason, expected, actual, judgeRun }: CheckResult): string {
  const tag = verdict === 'error' ? 'error' : 'failure';
  const judged = judgeRun === undefined ? [] : [`judge: run ${judgeRun}`];
  const compared = expected === undefined || actual === undefined ? [] : [`expected: ${expected}`, `actual: ${actual}`];
  const text = [`${at}: ${name}`, reason, ...judged, ...compared].join('\n');
  return `      <${tag} message="${xmlText(`${name}: ${reason}`)}">${xmlText(text)}</${tag}>\n`;
}
