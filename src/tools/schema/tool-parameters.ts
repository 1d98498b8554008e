import { CadreError, describeThrown } from '../../core/error.ts';
import type { JsonObject, JsonSchema, JsonValue } from '../../core/json.ts';
import type { ArgumentCheck, ArgumentProblem } from '../../core/tool/argument-check.ts';
import { argumentCheck, forbiddenKeyPath } from './check-arguments.ts';
import { jsonSchemaOf } from './json-schema-of.ts';

/** A tool's declared parameters, ready to use. */
export interface ToolParameters {
  readonly schema: JsonSchema;
  readonly check: (args: JsonObject) => ArgumentCheck;
  /**
   * Returns the arguments in the form the tool expects: a fresh copy, transformed by the schema's library if there is one; a promise when
   * that library is asynchronous. Throws, or rejects with, `TOOL_ARGUMENTS_INVALID`.
   */
  readonly parse: (args: JsonObject) => unknown;
}

/** Verdict of a schema library about a value. */
type Verdict = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly errors: readonly ArgumentProblem[] };
type Validator = (value: unknown) => Verdict | Promise<Verdict>;

/**
 * Reads declared parameters of any accepted kind. A schema library has the last word over its own schemas, since it may coerce and
 * refine. Its asynchronous checks run with the tool; until then the JSON Schema is checked.
 *
 * @throws CadreError `TOOL_INVALID` when no JSON Schema for an object is available from them
 */
export function toolParameters(parameters: unknown, where: string): ToolParameters {
  const schema = jsonSchemaOf(parameters, where);
  const bySchema = argumentCheck(schema, where);
  const validator = validatorOf(parameters);
  if (validator === undefined) return { schema, check: bySchema, parse: copyValue };
  return {
    schema,
    check: (args) => checkByLibrary(args, validator, bySchema),
    parse: (args) => {
      const verdict = validator(copyValue(args));
      return verdict instanceof Promise ? verdict.then(valueOf) : valueOf(verdict);
    },
  };
}

function checkByLibrary(args: JsonObject, validator: Validator, bySchema: ToolParameters['check']): ArgumentCheck {
  const forbidden = forbiddenKeyPath(args);
  if (forbidden !== undefined) return bySchema(args);
  let verdict: Verdict | Promise<Verdict>;
  try {
    verdict = validator(copyValue(args));
  } catch (thrown) {
    return { ok: false, errors: [{ path: '', message: `could not be checked: ${describeThrown(thrown)}` }] };
  }
  if (verdict instanceof Promise) {
    // The same check runs again, and is awaited, when the tool runs.
    verdict.catch(() => undefined);
    return bySchema(args);
  }
  return verdict.ok ? { ok: true, args } : { ok: false, errors: verdict.errors };
}

function valueOf(verdict: Verdict): unknown {
  if (verdict.ok) return verdict.value;
  const problems = verdict.errors.map((error) => `${error.path === '' ? 'arguments' : error.path}: ${error.message}`);
  throw new CadreError('TOOL_ARGUMENTS_INVALID', `the arguments do not fit: ${problems.join('; ')}`);
}

/** Returns the library's own check, of a Standard Schema or an AI SDK schema; undefined for plain JSON Schema. */
function validatorOf(parameters: unknown): Validator | undefined {
  const lazy = typeof parameters === 'function' && !('~standard' in parameters) ? (parameters as () => unknown)() : parameters;
  if ((typeof lazy !== 'object' && typeof lazy !== 'function') || lazy === null) return undefined;
  const raw = lazy as { readonly '~standard'?: unknown; readonly validate?: unknown };
  const standard = raw['~standard'];
  if (hasValidate(standard)) return (value) => whenReady(standard.validate(value), fromStandard);
  if (Symbol.for('vercel.ai.schema') in lazy && hasValidate(raw)) return (value) => whenReady(raw.validate(value), fromAiSdk);
  return undefined;
}

function hasValidate(value: unknown): value is { validate(input: unknown): unknown } {
  return typeof value === 'object' && value !== null && typeof (value as { readonly validate?: unknown }).validate === 'function';
}

function whenReady(result: unknown, read: (result: unknown) => Verdict): Verdict | Promise<Verdict> {
  const later = typeof result === 'object' && result !== null && typeof (result as { readonly then?: unknown }).then === 'function';
  return later ? Promise.resolve(result as PromiseLike<unknown>).then(read) : read(result);
}

function fromStandard(result: unknown): Verdict {
  const { value, issues } = result as { readonly value?: unknown; readonly issues?: readonly unknown[] };
  return issues === undefined || issues === null ? { ok: true, value } : { ok: false, errors: issues.slice(0, 12).map(toProblem) };
}

function fromAiSdk(result: unknown): Verdict {
  const { success, value, error } = result as { readonly success?: unknown; readonly value?: unknown; readonly error?: unknown };
  return success === true
    ? { ok: true, value }
    : { ok: false, errors: [{ path: '', message: describeThrown(error).slice(0, 1_000) }] };
}

function toProblem(issue: unknown): ArgumentProblem {
  const { message, path } = issue as { readonly message?: unknown; readonly path?: readonly unknown[] };
  const steps = (path ?? []).map((step) =>
    String(typeof step === 'object' && step !== null ? (step as { readonly key?: unknown }).key : step),
  );
  return {
    path: steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
    message: typeof message === 'string' ? message.slice(0, 500) : 'is not valid',
  };
}

/** Returns a copy that the tool may change freely without changing the recorded arguments (FAULTS X6). */
function copyValue(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(copyValue);
  const copy: { [key: string]: JsonValue } = {};
  // Keys that lead to prototypes were rejected before; none of the others needs `defineProperty`.
  for (const key of Object.keys(value)) {
    const inner = (value as JsonObject)[key];
    if (inner !== undefined) copy[key] = typeof inner === 'object' ? copyValue(inner) : inner;
  }
  return copy;
}
