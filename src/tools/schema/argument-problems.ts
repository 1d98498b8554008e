import type { ErrorObject } from 'ajv';
import { closestName } from '../../core/expression/closest-name.ts';
import type { ArgumentProblem } from '../../core/tool/argument-check.ts';

/** Most problems that are listed; a model repairs the first ones first. */
const maxProblems = 12;
/** Most errors that are examined: each is compared with all others, and a long list has one for each of its items. */
const maxErrors = 300;
/** Longest value or list of names that is quoted. */
const maxQuoted = 200;

/** Converts Ajv's errors to problems a model can act on: what was expected, and what was given. Joins alternatives for one place. */
export function toProblems(errors: readonly ErrorObject[]): readonly ArgumentProblem[] {
  const problems: ArgumentProblem[] = [];
  const seen = new Set<string>();
  const first = errors.slice(0, maxErrors);
  for (const error of withoutEchoes(first)) {
    const problem = { path: error.instancePath, message: describe(error, first) };
    const key = `${problem.path}\n${problem.message}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (problems.length === maxProblems) {
      problems.push({ path: '', message: 'there are more problems than are listed here' });
      break;
    }
    problems.push(problem);
  }
  // All examined errors may repeat one that was not examined.
  if (problems.length === 0 && errors.length > 0) problems.push({ path: '', message: 'does not fit the schema, in many places' });
  return problems;
}

/** Drops errors that only repeat others: those of `if`, and those of a choice between types or values that one sentence describes. */
function withoutEchoes(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  return errors.filter((error) => error.keyword !== 'if' && !(isFailedChoice(error) && isCoveredByKinds(error, errors)));
}

function isFailedChoice(error: ErrorObject): boolean {
  return error.keyword === 'anyOf' || (error.keyword === 'oneOf' && error.params['passingSchemas'] === null);
}

function isCoveredByKinds(choice: ErrorObject, errors: readonly ErrorObject[]): boolean {
  const below = errors.filter(
    (error) => error !== choice && error.instancePath.startsWith(choice.instancePath) && !isFailedChoice(error),
  );
  return (
    below.length > 0 &&
    below.every((error) => error.instancePath === choice.instancePath && ['type', 'enum', 'const'].includes(error.keyword))
  );
}

function describe(error: ErrorObject, all: readonly ErrorObject[]): string {
  const { params } = error;
  switch (error.keyword) {
    case 'required':
      return `the field ${quote(params['missingProperty'])} is missing`;
    case 'additionalProperties':
      return unknownField(String(params['additionalProperty']), error);
    case 'unevaluatedProperties':
      return unknownField(String(params['unevaluatedProperty']), error);
    case 'type':
      return `must be ${joined(all, error, (other) => [other.params['type']].flat().map(String))}, but is ${kindOf(error.data)}`;
    case 'enum':
    case 'const':
      return `must be ${cut(joined(all, error, (other) => allowedValues(other).map((value) => quote(value))))}, but is ${quote(error.data)}`;
    case 'pattern':
      return `must match the pattern ${quote(params['pattern'])}`;
    case 'anyOf':
    case 'oneOf':
      return isFailedChoice(error)
        ? 'must fit one of the allowed forms; fixing the problems of one of them is enough'
        : 'fits more than one of the allowed forms; it must fit exactly one';
    case 'discriminator':
      return `the field ${quote(params['tag'])} must name one of the allowed forms`;
    case 'false schema':
      return 'is not allowed';
    default:
      return cut(error.message ?? 'is not valid');
  }
}

function allowedValues(error: ErrorObject): readonly unknown[] {
  const { allowedValues, allowedValue } = error.params;
  if (error.keyword === 'const') return [allowedValue];
  return error.keyword === 'enum' && Array.isArray(allowedValues) ? (allowedValues as readonly unknown[]) : [];
}

/** Joins everything that the errors of one place and kind would accept: a value may be a text or null, for example. */
function joined(all: readonly ErrorObject[], error: ErrorObject, wanted: (other: ErrorObject) => readonly string[]): string {
  const kinds = error.keyword === 'type' ? ['type'] : ['enum', 'const'];
  const same = all.filter((other) => other.instancePath === error.instancePath && kinds.includes(other.keyword));
  return [...new Set(same.flatMap(wanted))].join(' or ');
}

function unknownField(name: string, error: ErrorObject): string {
  const properties: unknown = error.parentSchema?.['properties'];
  const known = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  // A single letter is similar to any other: no suggestion is made.
  const meant = name.length < 2 ? undefined : closestName(name.slice(0, maxQuoted), known);
  const allowed = known.length === 0 ? 'no fields are allowed here' : `allowed: ${cut(known.join(', '))}`;
  return `the field ${quote(name)} is unknown${meant === undefined ? '' : `, did you mean ${quote(meant)}?`}; ${allowed}`;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

function quote(value: unknown): string {
  return cut(JSON.stringify(value) ?? String(value));
}

function cut(text: string): string {
  return text.length > maxQuoted ? `${text.slice(0, maxQuoted).toWellFormed()}…` : text;
}
