import { CadreError } from '../../core/error.ts';

/** Server, database and schema that a URL names. */
export interface PostgresPlace {
  /** URL for the driver: without `schema`, with the password. */
  readonly connection: string;
  readonly schema: string;
  /** URL for messages, with the password masked. */
  readonly location: string;
}

/** Schema of a journal whose URL and options name none. */
const defaultSchema = 'cadre';

const schemaPattern = /^[a-z_][a-z0-9_]{0,39}$/;

/** True when a store is named by a URL of PostgreSQL instead of a path. */
export function isPostgresUrl(store: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(store);
}

/** Parses a URL of the form `postgres://user:password@host:port/database?schema=name`. Throws OPTION_INVALID. */
export function parsePostgresUrl(text: unknown, named?: string): PostgresPlace {
  if (typeof text !== 'string' || !isPostgresUrl(text) || !URL.canParse(text)) throw badUrl(text);
  const url = new URL(text);
  const schema = named ?? url.searchParams.get('schema') ?? defaultSchema;
  if (!schemaPattern.test(schema))
    throw new CadreError(
      'OPTION_INVALID',
      `schema ${JSON.stringify(schema).slice(0, 120)} is not valid: 1 to 40 lower-case letters, digits or "_" are allowed, beginning with a letter or "_"`,
      { details: { schema } },
    );
  url.searchParams.delete('schema');
  const connection = url.href;
  url.searchParams.set('schema', schema);
  return { connection, schema, location: maskedUrl(url.href) };
}

/** Returns a URL for people: the password, in its usual place or as a parameter, is masked. */
export function maskedUrl(text: string): string {
  if (!URL.canParse(text)) return withoutPassword(text);
  const url = new URL(text);
  if (url.password !== '') url.password = mask;
  for (const name of [...url.searchParams.keys()]) if (/pass/i.test(name)) url.searchParams.set(name, mask);
  return url.href;
}

const mask = '***';

/** Masks everything between the user's name and the last `@` of a text that cannot be parsed. */
function withoutPassword(text: string): string {
  return text.replace(/(:\/\/[^:/@]*):.*@/s, `$1:${mask}@`);
}

function badUrl(text: unknown): CadreError {
  const shown = typeof text === 'string' ? JSON.stringify(withoutPassword(text).slice(0, 200)) : typeof text;
  return new CadreError(
    'OPTION_INVALID',
    `${shown} is not a URL of PostgreSQL; it has the form postgres://user:password@host:5432/database?schema=cadre. Letters that a URL does not allow in a name or password are written as %XX; a password can be left out and given as PGPASSWORD`,
  );
}
