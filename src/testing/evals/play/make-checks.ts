import type { SourceRef } from '../../../core/profile/source-ref.ts';
import type { RunContext } from '../../../core/state/run-context.ts';
import {
  errorVerdict,
  type CheckTools,
  type CheckVerdict,
  type EvalCheck,
  type EvalSubject,
  verdictOf,
} from '../checks/eval-check.ts';
import type { CheckResult, EvalResult } from '../score/eval-result.ts';

/** Errors that say nothing about the profiles: the run could not be made. */
const ofSurroundings = /^(?:MODEL_(?!EMPTY_REPLY|REFUSED|OUTPUT_TOO_LARGE)|STORE_|REPLAY_|TOOLSETS_|ENGINE_)/;

/** Makes all checks of a finished run, and one of its end unless the checks themselves look at that. */
export async function makeChecks(
  { checks, at }: { readonly checks: readonly EvalCheck[]; readonly at: SourceRef },
  subject: EvalSubject,
  tools: CheckTools,
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  if (!checks.some(({ readsEnd }) => readsEnd === true)) {
    const end = endOf(subject.state, at);
    if (end !== undefined) results.push(end);
  }
  for (const check of checks) {
    const { name, kind } = check;
    const isMade = kind !== 'judge' || results[0]?.kind !== 'run' || results[0].verdict !== 'error';
    // A judge costs, and a run that could not be made has nothing to judge.
    const verdict = isMade ? await check.check(subject, tools) : errorVerdict('not asked, since the run could not be made');
    results.push({ name, kind, at: placeText(check.at), ...shortened(verdict) });
  }
  return results;
}

/** Longest text of a result: the report has the whole output once, and differences are looked for in these. */
const longest = 4_000;

function shortened(verdict: CheckVerdict): CheckVerdict {
  const { reason, expected, actual } = verdict;
  return {
    ...verdict,
    reason: cut(reason),
    ...(expected === undefined ? {} : { expected: cut(expected) }),
    ...(actual === undefined ? {} : { actual: cut(actual) }),
  };
}

function cut(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length} characters)`;
}

/** Returns the failed check of a run that did not end well; undefined for others. */
function endOf({ status, pending, error, outcome }: RunContext, at: SourceRef): CheckResult | undefined {
  const own = { name: 'the run ends well', kind: 'run', at: placeText(at) } as const;
  if (pending > 0)
    return {
      ...own,
      ...errorVerdict('the run waits for a person; give the case people: [{ approve: true }], or the profile another gate'),
    };
  if (status !== 'failed' && status !== 'cancelled') return undefined;
  const reason = error === undefined ? `the run ended with the outcome ${outcome ?? status}` : `${error.code}: ${error.message}`;
  return { ...own, ...(error !== undefined && ofSurroundings.test(error.code) ? errorVerdict(reason) : verdictOf(false, reason)) };
}

/** Returns the status of a run by its checks. */
export function statusOf(checks: readonly CheckResult[]): EvalResult['status'] {
  if (checks.some(({ verdict }) => verdict === 'error')) return 'error';
  return checks.every(({ verdict }) => verdict === 'passed') ? 'passed' : 'failed';
}

/** Returns the mean score of checks. */
export function scoreOf(checks: readonly CheckResult[]): number {
  return checks.length === 0 ? 0 : checks.reduce((sum, { score }) => sum + score, 0) / checks.length;
}

function placeText({ file, line, column }: SourceRef): string {
  return `${file}:${line}:${column}`;
}
