import type { Context } from 'hono';
import { CadreError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import { assertShape } from '../reach/action-schemas.ts';
import { readJson } from '../../core/read-json.ts';

/** Name of the body in messages. */
export const bodyWords = 'the body of the request';

/**
 * Reads the body of a request and checks it against its schema.
 *
 * @throws CadreError `REQUEST_INVALID` naming the faulty places and the allowed values
 */
export async function readBody(context: Context, schema: JsonObject): Promise<JsonObject> {
  const body = await readJsonBody(context);
  assertShape(schema, body, { what: bodyWords, code: 'REQUEST_INVALID' });
  return body;
}

/** Reads the body of a request as unchecked JSON. */
export async function readJsonBody(context: Context): Promise<unknown> {
  try {
    return readJson(await context.req.text());
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    throw new CadreError('REQUEST_INVALID', `${bodyWords} is not JSON: ${thrown.message.slice(0, 200)}`, { cause: thrown });
  }
}
