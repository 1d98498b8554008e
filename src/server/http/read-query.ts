import type { Context } from 'hono';
import { CadreError } from '../../core/error.ts';

/** Reads a whole number from the query; `usual` when it is absent. Fails with REQUEST_INVALID, naming the allowed values. */
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

/** Reads a required text from the query. */
export function readText(context: Context, name: string): string {
  const text = context.req.query(name) ?? '';
  if (text.trim() !== '') return text;
  throw new CadreError('REQUEST_INVALID', `this address needs ?${name}=`);
}

/** Reads one of a few words from the query; undefined when it is absent. */
export function readChoice<Word extends string>(context: Context, name: string, words: readonly Word[]): Word | undefined {
  const text = context.req.query(name) ?? '';
  const word = words.find((one) => one === text);
  if (word !== undefined || text === '') return word;
  throw new CadreError('REQUEST_INVALID', `?${name}= takes ${words.join(', ')}; not '${text.slice(0, 40)}'`);
}
