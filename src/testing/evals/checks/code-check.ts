import { setTimeout as delay } from 'node:timers/promises';
import { describeThrown } from '../../../core/error.ts';
import { isJsonObject } from '../../../core/json.ts';
import type { FolderCode } from '../../../engine/toolsets/folder-code.ts';
import type { EvalFacts } from './eval-facts.ts';
import { errorVerdict, type CheckVerdict, type EvalCheck, verdictOf } from './eval-check.ts';

/** What a check in code may return. */
export type CodeVerdict = boolean | number | { readonly passed: boolean; readonly score?: number; readonly reason?: string };

/** A check in code: the default export of its module. */
export type CodeCheck = (facts: EvalFacts) => CodeVerdict | Promise<CodeVerdict>;

/** Least score that passes, of a check that returns only a score. */
const passingScore = 0.5;

/** Longest time that a check may take. */
const longestMs = 120_000;

/**
 * Returns the check that a module makes; it is imported when it is first needed, as it was read. Whatever it throws is an error of the
 * check, not of the run, and so is an answer that does not come in time.
 */
export function codeCheck(code: Pick<FolderCode, 'load'>, shown: string, mostMs = longestMs): EvalCheck['check'] {
  return async ({ facts }) => {
    const late = new AbortController();
    try {
      return await Promise.race([answerOf(code.load(), facts, shown), tooLate(shown, mostMs, late.signal)]);
    } catch (thrown) {
      return errorVerdict(`${shown} failed: ${describeThrown(thrown)}`);
    } finally {
      late.abort();
    }
  };
}

async function answerOf(
  module: Promise<Readonly<Record<string, unknown>>>,
  facts: EvalFacts,
  shown: string,
): Promise<CheckVerdict> {
  const check = (await module)['default'];
  if (typeof check !== 'function') return errorVerdict(`${shown} has no default export that is a function`);
  return readVerdict(await (check as (given: EvalFacts) => unknown)(structuredClone(facts)), shown);
}

async function tooLate(shown: string, mostMs: number, signal: AbortSignal): Promise<CheckVerdict> {
  // Aborted when the answer came first: nothing waits for this then.
  await delay(mostMs, undefined, { signal }).catch(() => undefined);
  return errorVerdict(`${shown} did not answer within ${mostMs / 1000} seconds`);
}

function readVerdict(returned: unknown, shown: string): CheckVerdict {
  if (typeof returned === 'boolean') return verdictOf(returned, `${shown} returned ${String(returned)}`);
  if (isScore(returned)) return scored(returned >= passingScore, returned, `${shown} returned ${returned}`);
  if (isJsonObject(returned) && typeof returned['passed'] === 'boolean') {
    const { passed, score = passed ? 1 : 0, reason = '' } = returned;
    if (isScore(score) && typeof reason === 'string') return scored(passed, score, reason === '' ? `${shown} says so` : reason);
  }
  const text = JSON.stringify(returned)?.slice(0, 200) ?? String(returned);
  return errorVerdict(`${shown} returned ${text}; a check returns true, false, a score from 0 to 1, or { passed, score, reason }`);
}

function isScore(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1;
}

function scored(passed: boolean, score: number, reason: string): CheckVerdict {
  return { verdict: passed ? 'passed' : 'failed', score, reason };
}
