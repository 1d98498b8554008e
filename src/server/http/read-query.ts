import type { Context } from 'hono';
import { CadreError } from '../../core/error.ts';

/** Reads a whole number of the query; `usual` when it is not there. Fails with REQUEST_INVALID, saying what is allowed. */
export function readNumber(
  context: Context,
  name: string,
  { usual, most = Number.MAX_SAFE_INTEGER }: { readonly usual: number; readonly most?: number },
): number {
  const text = context.req.query(name);
  if (text === undefined || text === '') return usual;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= most) return value;
  throw new CadreError('REQUEST_INVALID', `?${name}= takes a whole number from 0 to ${most}, not '${text.slice(0, 40)}'`);
}
