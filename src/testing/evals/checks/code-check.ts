import { pathToFileURL } from 'node:url';
import { describeThrown } from '../../../core/error.ts';
import { isJsonObject } from '../../../core/json.ts';
import type { EvalFacts } from './eval-facts.ts';
import { errorVerdict, type CheckVerdict, type EvalCheck, verdictOf } from './eval-check.ts';

/** What a check in code may return. */
export type CodeVerdict = boolean | number | { readonly passed: boolean; readonly score?: number; readonly reason?: string };

/** A check in code: the default export of its module. */
export type CodeCheck = (facts: EvalFacts) => CodeVerdict | Promise<CodeVerdict>;

/** Least score that passes, of a check that returns only a score. */
const passingScore = 0.5;

/** Returns the check that a module makes; it is imported when it is first needed. Whatever it throws is an error of the check, not of the run. */
export function codeCheck(file: string, shown: string): EvalCheck['check'] {
  let loaded: Promise<Readonly<Record<string, unknown>>> | undefined;
  return async ({ facts }) => {
    try {
      loaded ??= import(pathToFileURL(file).href) as Promise<Readonly<Record<string, unknown>>>;
      const check = (await loaded)['default'];
      if (typeof check !== 'function') return errorVerdict(`${shown} has no default export that is a function`);
      return readVerdict(await (check as (given: EvalFacts) => unknown)(structuredClone(facts)), shown);
    } catch (thrown) {
      return errorVerdict(`${shown} failed: ${describeThrown(thrown)}`);
    }
  };
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
