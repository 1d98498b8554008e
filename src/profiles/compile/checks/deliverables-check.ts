import { createRequire } from 'node:module';
import type { Ajv, ErrorObject, Options, ValidateFunction } from 'ajv';
import { regexLibrary } from '../../../core/regex-library.ts';
import { describeThrown } from '../../../core/error.ts';
import type { JsonObject, JsonSchema } from '../../../core/json.ts';
import type { ArgumentCheck } from '../../../core/tool/argument-check.ts';
import { plainCheck } from '../../../core/tool/plain-schema.ts';

// Patterns in schemas run on a regex engine without backtracking: 30 characters can block the native one for seconds.
const linearPattern = Object.assign(toLinearPattern, { code: 'linearPattern' });

const options: Options = {
  strict: false,
  allErrors: true,
  ownProperties: true,
  validateFormats: false,
  logger: false,
  addUsedSchema: false,
  code: { regExp: linearPattern },
};

/** Loads Ajv with the first schema that is compiled: most are plain. */
const load = createRequire(import.meta.url);

/** Returns a checker of deliverables; it compiles the schema at the first check. */
export function deliverablesCheck(schema: JsonSchema | undefined): (value: JsonObject) => ArgumentCheck {
  if (schema === undefined) return (value) => ({ ok: true, args: value });
  let validate: ValidateFunction | undefined;
  const fits = plainCheck(schema);
  return (value) => {
    if (fits?.(value) === true) return { ok: true, args: value };
    try {
      validate ??= compileSchema(schema);
      if (validate(value)) return { ok: true, args: value };
      return { ok: false, errors: (validate.errors ?? []).map(toProblem) };
    } catch (thrown) {
      return { ok: false, errors: [{ path: '', message: `deliverables_schema cannot be applied: ${describeThrown(thrown)}` }] };
    }
  };
}

/** Returns the faults of a JSON Schema itself, each with its path and message. */
export function schemaFaults(schema: JsonSchema): readonly { readonly path: readonly string[]; readonly message: string }[] {
  if (plainCheck(schema) !== undefined) return [];
  const validator = validatorFor(schema);
  try {
    if (validator.validateSchema(schema) !== true) {
      const [first] = validator.errors ?? [];
      return [{ path: (first?.instancePath ?? '').split('/').slice(1), message: first?.message ?? 'is no JSON Schema' }];
    }
    compileSchema(schema);
    return [];
  } catch (thrown) {
    return [{ path: [], message: describeThrown(thrown) }];
  }
}

function toLinearPattern(source: string): { test(text: string): boolean; toString(): string } {
  const { RE2JS } = regexLibrary();
  const regex = RE2JS.compile(RE2JS.translateRegExp(source));
  // Ajv distinguishes compiled patterns by their text.
  return { test: (text) => regex.test(text), toString: () => `re2:${source}` };
}

// Pure cache: a validator without schemas, made when it is first needed.
let draft7: Ajv | undefined;
// Pure cache: a validator without schemas, made when it is first needed.
let draft2020: Ajv | undefined;

/**
 * Returns the validator of a schema's dialect. Validators are kept: creating one compiles its meta-schema, which costs more than
 * any schema here.
 */
function validatorFor(schema: JsonSchema): Ajv {
  const dialect = schema['$schema'];
  if (typeof dialect === 'string' && /draft-0[467]/.test(dialect))
    return (draft7 ??= new (load('ajv') as typeof import('ajv')).Ajv(options));
  return (draft2020 ??= new (load('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js')).Ajv2020(options));
}

function compileSchema(schema: JsonSchema): ValidateFunction {
  const validator = validatorFor(schema);
  try {
    return validator.compile(schema);
  } finally {
    // The validator is shared and would otherwise keep the schemas of every load.
    validator.removeSchema(schema);
  }
}

function toProblem(error: ErrorObject): { readonly path: string; readonly message: string } {
  const extra =
    error.keyword === 'additionalProperties'
      ? ` (${String(error.params['additionalProperty'])})`
      : error.keyword === 'enum'
        ? ` (${JSON.stringify(error.params['allowedValues'])})`
        : '';
  return { path: error.instancePath, message: `${error.message ?? 'is not valid'}${extra}` };
}
