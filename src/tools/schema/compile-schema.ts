import { createRequire } from 'node:module';
import type { Ajv, ErrorObject, Options } from 'ajv';
import { CadreError, describeThrown } from '../../core/error.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { ArgumentProblem } from '../../core/tool/argument-check.ts';
import { plainCheck, type PlainCheck } from '../../core/tool/plain-schema.ts';
import { toProblems } from './argument-problems.ts';
import { inspectSchema, type Draft } from './inspect-schema.ts';
import { regexLibrary } from '../../core/regex-library.ts';
import { mapSchema } from './map-schema.ts';

/** A schema ready to check values with. */
export interface CompiledSchema {
  /** The problems of a value; empty when it fits. Never throws. */
  readonly problems: (value: JsonValue) => readonly ArgumentProblem[];
  /** Schema requirements that are not checked. */
  readonly warnings: readonly string[];
}

// Pure cache: keyed by a schema, which never changes.
const compiled = new WeakMap<JsonObject, CompiledSchema>();

/**
 * Compiles a schema from anywhere, once per schema object (FAULTS P4): foreign keywords are tolerated, patterns run in linear time,
 * formats are notes and not checks, own fields only.
 *
 * @throws CadreError `TOOL_INVALID` when the schema cannot be compiled; `where` names its owner in the message
 */
export function compileSchema(schema: JsonObject, where: string): CompiledSchema {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const fits = plainCheck(schema);
  const result = fits === undefined ? compileNow(schema, where) : compileLater(schema, where, fits);
  compiled.set(schema, result);
  return result;
}

/** A plain schema surely compiles, so it is compiled with the first value that has to be examined. */
function compileLater(schema: JsonObject, where: string, fits: PlainCheck): CompiledSchema {
  let full: CompiledSchema | undefined;
  return { problems: (value) => (fits(value) ? [] : (full ??= compileNow(schema, where)).problems(value)), warnings: [] };
}

function compileNow(schema: JsonObject, where: string): CompiledSchema {
  const inspected = inspectSchema(schema);
  if (!inspected.ok) throw invalid(where, inspected.problem);
  const warnings: string[] = [];
  const steps = new StepCount();
  const validate = compileWith(withSteps(inspected.schema), { draft: inspected.draft, steps, warnings, where });
  return { problems: (value) => runCheck(validate, steps, value), warnings };
}

interface Validate {
  (value: unknown): unknown;
  errors?: ErrorObject[] | null;
}

function runCheck(validate: Validate, steps: StepCount, value: JsonValue): readonly ArgumentProblem[] {
  try {
    steps.begin(() => maxStepsFor(value));
    return validate(value) === true ? [] : toProblems(validate.errors ?? []);
  } catch (thrown) {
    // The schema recurses too deeply for the stack, or for the time available: the value is not known to fit, so it is rejected.
    return [{ path: '', message: `could not be checked: ${describeThrown(thrown)}` }];
  } finally {
    validate.errors = null;
  }
}

interface Compiling {
  readonly draft: Draft;
  readonly steps: StepCount;
  readonly warnings: string[];
  readonly where: string;
}

function compileWith(schema: JsonObject, { draft, steps, warnings, where }: Compiling): Validate {
  let first: unknown;
  // `discriminator` gives one error instead of one per branch, but refuses forms of it that are valid OpenAPI.
  for (const discriminator of [true, false]) {
    const noted: string[] = [];
    try {
      const validate = createAjv({ draft, steps, warnings: noted }, discriminator).compile(schema);
      warnings.push(...noted);
      return validate as Validate;
    } catch (thrown) {
      first ??= thrown;
    }
  }
  throw invalid(where, describeThrown(first), first);
}

/** Loads Ajv with the first schema that is compiled, so that importing the engine does not load it. */
const load = createRequire(import.meta.url);

/** Creates one Ajv instance per schema: external schemas never share one, and none outlives its schema. */
function createAjv({ draft, steps, warnings }: Omit<Compiling, 'where'>, discriminator: boolean): Ajv {
  const regExp = (source: string): ReturnType<typeof compileSafePattern> =>
    compileSafePattern(source, (warning) => warnings.push(warning));
  const options: Options = {
    allErrors: true,
    strict: false,
    strictRequired: false,
    ownProperties: true,
    discriminator,
    validateFormats: false,
    validateSchema: false,
    meta: false,
    addUsedSchema: false,
    logger: false,
    verbose: true,
    code: { regExp: Object.assign(regExp, { code: 'compileSafePattern' }) },
  };
  const ajv = newAjv(draft, options);
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: hasUniqueItems,
    error: { message: 'must not hold the same item twice' },
  });
  ajv.addKeyword({ keyword: stepKeyword, errors: false, validate: () => steps.take() });
  return ajv;
}

/** Linear in the text of the list; Ajv's own comparison of every pair takes seconds for 20,000 objects. */
function hasUniqueItems(wanted: boolean, items: readonly unknown[]): boolean {
  return !wanted || new Set(items.map((item) => JSON.stringify(item, sortedKeys))).size === items.length;
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function invalid(where: string, problem: string, cause?: unknown): CadreError {
  return new CadreError('TOOL_INVALID', `${where}: the parameters' JSON Schema cannot be used: ${problem}.`, {
    details: { field: 'parameters' },
    cause,
  });
}

function newAjv(draft: Draft, options: Options): Ajv {
  if (draft === 'draft-07') {
    const { Ajv: Draft07 } = load('ajv') as typeof import('ajv');
    return new Draft07(options);
  }
  const { Ajv2020 } = load('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  return new Ajv2020(options);
}

/** Longest pattern that is checked, in characters. */
const maxPatternChars = 2_000;
/** Most work, text length times program size, for one search: a fraction of a second. */
const maxWork = 20_000_000;

/** A pattern in the form Ajv expects; its text is the pattern, since Ajv caches compiled patterns by it. */
interface SafePattern {
  test(text: string): boolean;
  toString(): string;
}

/**
 * Compiles a schema's `pattern` so that no text can make it run long (FAULTS P4): RE2 syntax, linear time. A pattern that RE2 cannot
 * express (look-around, back-references) or that is too long accepts everything; `onIgnored` gets the reason. A text far too long for the
 * pattern does not match.
 */
function compileSafePattern(source: string, onIgnored: (warning: string) => void): SafePattern {
  const ignored = (why: string): SafePattern => {
    onIgnored(`the pattern ${shorten(source)} is not checked: ${why}`);
    return { test: () => true, toString: () => `ignored:${source}` };
  };
  if (source.length > maxPatternChars) return ignored(`it is longer than ${maxPatternChars} characters`);
  try {
    const { RE2JS } = regexLibrary();
    const regex = RE2JS.compile(RE2JS.translateRegExp(source));
    const size = regex.programSize();
    return { test: (text) => text.length * size <= maxWork && regex.test(text), toString: () => `re2:${source}` };
  } catch (thrown) {
    return ignored(thrown instanceof Error ? thrown.message : 'it cannot be compiled');
  }
}

function shorten(source: string): string {
  return JSON.stringify(source.length > 80 ? `${source.slice(0, 80)}…` : source);
}

/** Keyword added beside each reference of a compiled schema; counts how often the reference is followed. */
const stepKeyword = 'x-cadre-step';

/** Most references followed for any value, and the addition for each value inside it. */
const stepsAtLeast = 20_000;
const stepsPerValue = 20;

/**
 * Counts the references followed while one value is checked. A schema whose definition refers to itself twice for one field visits a
 * value of depth n 2ⁿ times; without the count, one call with such arguments would block the process.
 */
class StepCount {
  #left = 0;
  #more: (() => number) | undefined;

  /** Begins a check; calls `most` once the usual number of steps is used up. */
  begin(most: () => number): void {
    this.#left = stepsAtLeast;
    this.#more = () => most() - stepsAtLeast;
  }

  /** Takes a step and returns true. Throws when there were too many. */
  take(): boolean {
    if (this.#left === 0) {
      this.#left = this.#more?.() ?? 0;
      this.#more = undefined;
    }
    if (this.#left <= 0) throw new Error('its schema refers to itself too often for a value of this depth');
    this.#left -= 1;
    return true;
  }
}

/** Returns how many references may be followed while a value is checked. */
function maxStepsFor(value: JsonValue): number {
  let values = 0;
  const open: unknown[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    values += 1;
    if (typeof next === 'object' && next !== null) for (const inner of Object.values(next)) open.push(inner ?? null);
  }
  return stepsAtLeast + stepsPerValue * values;
}

/** Returns a schema whose references are counted. */
function withSteps(root: JsonObject): JsonObject {
  return mapSchema(root, (schema) =>
    ['$ref', '$dynamicRef', '$recursiveRef'].some((keyword) => Object.hasOwn(schema, keyword))
      ? { ...schema, [stepKeyword]: true }
      : schema,
  );
}
