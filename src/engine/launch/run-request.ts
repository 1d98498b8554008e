import { isCredentialName } from '../../core/expression/variables.ts';
import { CadreError } from '../../core/error.ts';
import { isJsonObject, type JsonObject, isDeeperThan } from '../../core/json.ts';
import { forbiddenKeyPath } from '../../tools/schema/check-arguments.ts';

/** Longest request kept, in characters of JSON: the journal of each of its runs holds it. */
const mostChars = 64_000;
const deepest = 16;
const name = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;

/**
 * Checks the values of a request: named like variables, plain JSON, and without credentials, since they are recorded.
 *
 * @throws CadreError `OPTION_INVALID`, naming the fault and what to do
 */
export function checkRequest(value: unknown): JsonObject {
  if (!isJsonObject(value) || Object.getPrototypeOf(value) !== Object.prototype)
    throw refusal('must be an object of names and values');
  for (const key of Object.keys(value))
    if (!name.test(key))
      throw refusal(`has the name '${key.slice(0, 60)}'; a name is letters, digits and _, and begins with no digit`);
  if (isDeeperThan(value, deepest)) throw refusal(`is nested deeper than ${deepest} levels`);
  const forbidden = forbiddenKeyPath(value);
  if (forbidden !== undefined) throw refusal(`has the name '${forbidden.slice(1)}', which is not accepted`);
  const text = textOf(value);
  if (text === undefined) throw refusal('holds something that is no JSON');
  if (text.length > mostChars)
    throw refusal(`has ${text.length} characters of JSON, and may have ${mostChars}; put long texts into the input`);
  const credential = credentialIn(value);
  if (credential !== undefined)
    throw refusal(`names '${credential}', a credential; it would be recorded. Hand it to tools in \`context\`, which is not`);
  return JSON.parse(text) as JsonObject;
}

function refusal(what: string): CadreError {
  return new CadreError('OPTION_INVALID', `request ${what}`);
}

function textOf(value: JsonObject): string | undefined {
  try {
    const text = JSON.stringify(value);
    // A value that JSON leaves out or changes (functions, dates, NaN) would not equal the caller's.
    return isPlain(value) ? text : undefined;
  } catch {
    return undefined;
  }
}

function isPlain(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      if (value === null) return true;
      if (Array.isArray(value)) return value.every(isPlain);
      return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isPlain);
    default:
      return false;
  }
}

function credentialIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return value.map(credentialIn).find((found) => found !== undefined);
  for (const [key, item] of Object.entries(value)) {
    const found = isCredentialName(key) ? key : credentialIn(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
