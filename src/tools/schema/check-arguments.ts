import { CadreError } from '../../core/error.ts';
import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts';
import type { ArgumentCheck, ArgumentProblem } from '../../core/tool/argument-check.ts';
import { type CompiledSchema, compileSchema } from './compile-schema.ts';

/**
 * Returns the check of a tool's arguments against its schema, compiled at the first call. Rejects keys that lead to prototypes at any
 * depth (FAULTS M9).
 *
 * @throws CadreError `TOOL_INVALID` at the first call when the schema cannot be compiled; registries compile earlier
 */
export function argumentCheck(schema: JsonSchema, where: string): (args: JsonObject) => ArgumentCheck {
  let compiled: CompiledSchema | undefined;
  return (args) => {
    const path = forbiddenKeyPath(args);
    if (path !== undefined) return { ok: false, errors: [forbiddenKey(path)] };
    compiled ??= compileSchema(schema, where);
    const errors = compiled.problems(args);
    return errors.length === 0 ? { ok: true, args } : { ok: false, errors };
  };
}

/**
 * Checks any value against a JSON Schema. An unusable schema is reported as a problem, never thrown. When a non-object value fits, `args`
 * is empty.
 */
export function checkSchema(schema: JsonObject, value: unknown): ArgumentCheck {
  try {
    const path = forbiddenKeyPath(value as JsonValue);
    const errors = path === undefined ? compileSchema(schema, 'schema').problems(value as JsonValue) : [forbiddenKey(path)];
    return errors.length === 0 ? { ok: true, args: isJsonObject(value) ? value : {} } : { ok: false, errors };
  } catch (thrown) {
    if (!(thrown instanceof CadreError)) throw thrown;
    return { ok: false, errors: [{ path: '', message: thrown.message }] };
  }
}

function forbiddenKey(path: string): ArgumentProblem {
  return { path, message: 'fields of this name are not accepted' };
}

const forbidden = new Set(['__proto__', 'constructor', 'prototype']);

/** Returns the JSON pointer to the first own key that leads to a prototype in JavaScript (FAULTS M9), or undefined. */
export function forbiddenKeyPath(value: JsonValue): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return findForbiddenKey(value);
  const fields = value as JsonObject;
  // Most arguments are a handful of plain fields, for which no walk is set up. An inherited field would only cause one.
  for (const key in fields) {
    const inner = fields[key];
    if ((typeof inner === 'object' && inner !== null) || forbidden.has(key)) return findForbiddenKey(value);
  }
  return undefined;
}

function findForbiddenKey(value: object): string | undefined {
  const seen = new Set<object>([value]);
  const waiting: { readonly path: string; readonly value: object }[] = [{ path: '', value }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const isList = Array.isArray(next.value);
    for (const [key, inner] of Object.entries(next.value) as [string, JsonValue | undefined][]) {
      const nested = typeof inner === 'object' && inner !== null;
      if (!nested && (isList || !forbidden.has(key))) continue;
      const path = `${next.path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (!isList && forbidden.has(key)) return path;
      if (!nested || seen.has(inner)) continue;
      seen.add(inner);
      waiting.push({ path, value: inner });
    }
  }
  return undefined;
}
