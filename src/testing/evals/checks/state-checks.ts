import { CadreError } from '../../../core/error.ts';
import type { Expression, Scope } from '../../../core/expression/expression.ts';
import type { JsonObject, JsonSchema } from '../../../core/json.ts';
import { readPath } from '../../../core/expression/read-path.ts';
import { checkSchema } from '../../../tools/schema/check-arguments.ts';
import type { PlaceOf, RunExpectations } from '../../cases/test-case.ts';
import { checkRun } from '../../expect/check-run.ts';
import { textOf } from '../../expect/failure.ts';
import { errorVerdict, type EvalCheck, verdictOf } from './eval-check.ts';

/** Returns the check that an output is JSON and fits a schema. */
export function schemaCheck(schema: JsonSchema): EvalCheck['check'] {
  return async ({ facts: { output, value } }) => {
    if (value === null && output.trim() !== 'null')
      return verdictOf(false, 'the output is no JSON', { expected: 'JSON', actual: output === '' ? '(no output)' : output });
    const checked = checkSchema(schema, value);
    if (checked.ok) return verdictOf(true, 'the output fits the schema');
    const problems = checked.errors.map(({ path, message }) => `${path === '' ? 'output' : path}: ${message}`).join('; ');
    return verdictOf(false, `the output does not fit the schema: ${problems}`);
  };
}

/** Returns the check that a condition over the run holds; a failure shows what the condition read. */
export function celCheck(condition: Expression): EvalCheck['check'] {
  return async ({ facts }) => {
    const scope: Scope = { ...facts };
    try {
      if (condition.test(scope)) return verdictOf(true, 'the condition holds');
    } catch (thrown) {
      if (!(thrown instanceof CadreError)) throw thrown;
      return errorVerdict(`the condition failed: ${thrown.message}`);
    }
    const read = condition.paths.map((path) => `${path}: ${textOf(readPath(scope, path) as JsonObject)}`);
    return verdictOf(false, 'the condition does not hold', { expected: condition.source, actual: read.join('\n') });
  };
}

/** Returns the check of expectations, as in `cadre test`. */
export function expectCheck(expect: RunExpectations, placeOf: PlaceOf): EvalCheck['check'] {
  return async (subject) => {
    const failures = checkRun({ body: { name: '', expect }, placeOf }, subject);
    const [first] = failures;
    if (first === undefined) return verdictOf(true, 'all expectations hold');
    const { expected, actual } = first;
    return verdictOf(false, failures.map(({ message }) => message).join('; '), {
      ...(expected === undefined ? {} : { expected }),
      ...(actual === undefined ? {} : { actual }),
    });
  };
}
