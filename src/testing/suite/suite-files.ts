import type { JsonObject } from '../../core/json.ts';
import { formatDiagnostic } from '../../profiles/format-diagnostics.ts';
import { formatFailure } from './format-suite.ts';
import type { SuiteReport } from './run-suite.ts';
import { xmlText } from './xml-text.ts';
import { readJson } from '../../core/read-json.ts';

/** Returns a report as JSON. */
export function suiteJson({ cases, problems, warnings, skipped, coverage, written }: SuiteReport): JsonObject {
  const failed = cases.filter(({ failures }) => failures.length > 0).length;
  const report = {
    ok: failed === 0 && problems.length === 0,
    passed: cases.length - failed,
    failed,
    skipped,
    problems,
    warnings,
    cases: cases.map(({ ms, ...rest }) => ({ ...rest, ok: rest.failures.length === 0, ms: Math.round(ms) })),
    coverage,
    written,
  };
  return readJson(JSON.stringify(report)) as JsonObject;
}

/** Returns a report as JUnit XML: a suite per file, a case per test, and an error per problem of a file. */
export function suiteJunit({ cases, problems }: SuiteReport): string {
  const suites = [...Map.groupBy(cases, ({ file }) => file)].map(([file, own]) => {
    const failed = own.filter(({ failures }) => failures.length > 0).length;
    const seconds = own.reduce((sum, { ms }) => sum + ms, 0) / 1000;
    const tests = own.map(({ name, profile, failures, ms }) => {
      const head = `    <testcase name="${xmlText(name)}" classname="${xmlText(profile)}" file="${xmlText(file)}" time="${(ms / 1000).toFixed(3)}"`;
      const parts = failures.map(
        (failure) => `      <failure message="${xmlText(failure.message)}">${xmlText(formatFailure(failure))}</failure>\n`,
      );
      return parts.length === 0 ? `${head}/>\n` : `${head}>\n${parts.join('')}    </testcase>\n`;
    });
    const counts = `tests="${own.length}" failures="${failed}" errors="0" time="${seconds.toFixed(3)}"`;
    return `  <testsuite name="${xmlText(file)}" ${counts}>\n${tests.join('')}  </testsuite>\n`;
  });
  const faulty = [...Map.groupBy(problems, ({ source }) => source.file)].map(([file, own]) => {
    const errors = own.map((problem) => {
      const place = `${problem.source.line}:${problem.source.column}`;
      const error = `<error message="${xmlText(problem.message)}">${xmlText(formatDiagnostic(problem))}</error>`;
      return `    <testcase name="${xmlText(`${file}:${place}`)}" classname="file" file="${xmlText(file)}">\n      ${error}\n    </testcase>\n`;
    });
    return `  <testsuite name="${xmlText(file)}" tests="${own.length}" failures="0" errors="${own.length}">\n${errors.join('')}  </testsuite>\n`;
  });
  const failed = cases.filter(({ failures }) => failures.length > 0).length;
  const total = `tests="${cases.length + problems.length}" failures="${failed}" errors="${problems.length}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="cadre test" ${total}>\n${suites.join('')}${faulty.join('')}</testsuites>\n`;
}
