import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import type { JsonValue } from '../../core/json.ts';
import { CadreError } from '../../core/error.ts';
import { stableJson } from '../../tools/stable-json.ts';

/** Header with which a client that lost an answer repeats a request without doing its work twice. */
export const onceHeader = 'Idempotency-Key';
/** Pattern of its values. */
export const oncePattern = /^[\x21-\x7e]{1,200}$/;

/**
 * Returns the id for what a request creates, from its header; undefined without the header. The same key gives the same id in
 * every process, so the first result is found in the journal. `kind` keeps ids of different things apart.
 */
export function onceId(context: Context, kind: 'run' | 'x'): string | undefined {
  const key = context.req.header(onceHeader);
  if (key === undefined) return undefined;
  if (!oncePattern.test(key))
    throw new CadreError('REQUEST_INVALID', `${onceHeader} takes 1 to 200 printable characters without spaces`);
  return `${kind}_${createHash('sha256').update(`${kind}\n${key}`).digest('base64url').slice(0, 22)}`;
}

/** Hashes a body: the same for all ways to write the same JSON. */
export function bodyHash(body: JsonValue): string {
  return createHash('sha256').update(stableJson(body)).digest('base64url').slice(0, 22);
}
