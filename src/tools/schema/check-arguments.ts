import { CadreError } from '../../core/error.ts';
import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts';
import type { ArgumentCheck, ArgumentProblem } from '../../core/tool/argument-check.ts';
import { compileSchema } from './compile-schema.ts';
import { forbiddenKeyPath } from './forbidden-key.ts';

/**
 * Returns the check of a tool's arguments against its schema, compiled at the first call. Rejects keys that lead to prototypes at any
 * depth (FAULTS M9).
 *
 * @throws CadreError `TOOL_INVALID` at the first call when the schema cannot be compiled; registries compile earlier
 */
export function argumentCheck(schema: JsonSchema, where: string): (args: JsonObject) => ArgumentCheck {
  return (args) => {
    const errors = valueProblems(schema, args, where);
    return errors.length === 0 ? { ok: true, args } : { ok: false, errors };
  };
}

/**
 * Checks any value against a JSON Schema. An unusable schema is reported as a problem, never thrown. When a non-object value fits, `args`
 * is empty.
 */
export function checkSchema(schema: JsonObject, value: unknown): ArgumentCheck {
  try {
    const errors = valueProblems(schema, value as JsonValue, 'schema');
    return errors.length === 0 ? { ok: true, args: isJsonObject(value) ? value : {} } : { ok: false, errors };
  } catch (thrown) {
    if (!(thrown instanceof CadreError)) throw thrown;
    return { ok: false, errors: [{ path: '', message: thrown.message }] };
  }
}

function valueProblems(schema: JsonObject, value: JsonValue, where: string): readonly ArgumentProblem[] {
  const forbidden = forbiddenKeyPath(value);
  if (forbidden !== undefined) return [{ path: forbidden, message: 'fields of this name are not accepted' }];
  return compileSchema(schema, where).problems(value);
}
