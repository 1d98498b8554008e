/*
 * Lists the tests that failed once and passed when they were run again, with what they said: `node test/rows/list-retried.ts system.json`.
 * Each is a fault of the test or of the engine that shows under load; a second run hides it from the exit code, not from the reader.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

for (const report of process.argv.slice(2)) {
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  for (const { name, assertionResults } of testResults)
    for (const { fullName, status, failureMessages } of assertionResults)
      if (status === 'passed' && failureMessages.length > 0)
        console.log(
          `passed when run again: ${path.relative(process.cwd(), name)}: ${fullName}\n  ${failureMessages[0]?.split('\n')[0] ?? ''}`,
        );
}
