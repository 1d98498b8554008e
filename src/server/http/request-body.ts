import type { Context } from 'hono';
import { CadreError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import { assertShape } from '../reach/action-schemas.ts';

/** What messages call the body. */
export const bodyWords = 'the body of the request';

/**
 * Reads the body of a request, checked against its schema.
 *
 * @throws CadreError `REQUEST_INVALID` saying where it is wrong and what is allowed
 */
export async function readBody(context: Context, schema: JsonObject): Promise<JsonObject> {
  const body = await readJson(context);
  assertShape(schema, body, bodyWords, 'REQUEST_INVALID');
  return body;
}

/** Reads the body of a request as JSON; nothing is known of it yet. */
export async function readJson(context: Context): Promise<unknown> {
  try {
    return JSON.parse(await context.req.text());
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    throw new CadreError('REQUEST_INVALID', `${bodyWords} is no JSON: ${thrown.message.slice(0, 200)}`, { cause: thrown });
  }
}
