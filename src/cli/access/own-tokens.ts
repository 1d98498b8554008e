import { createHash, randomBytes } from 'node:crypto';
import { CadreError, describeThrown } from '../../core/error.ts';
import { isJsonObject } from '../../core/json.ts';
import { readJson } from '../../core/read-json.ts';
import { readUserFile, writeUserFile } from '../../files/user-file.ts';
import { type ConfigEnv, ownFile } from '../trust/own-file.ts';

/** Maximum number of journals with a token; the oldest are dropped, and get a new one. */
const maxTokens = 1_000;
const maxFileBytes = 1_000_000;

/** Returns a new random token: 192 bits, as text for URLs and headers. */
export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

/** Returns the file with the tokens of servers that this machine's user starts, beside their agreements. */
export function tokensFile(env: ConfigEnv = process.env): string {
  return ownFile(env, 'server-tokens.json');
}

/**
 * Returns the token of servers over a journal: the same one each time, so that links and cookies outlive a server. The first time it is made
 * and stored in a file that only its user can read and write; a file that others can read or write counts as empty.
 *
 * @throws CadreError `STORE_FAILED`, naming the file, when it cannot be written
 */
export async function ownToken(location: string, file = tokensFile()): Promise<string> {
  // The location may name a server with its password.
  const key = createHash('sha256').update(location).digest('hex');
  const known = await readTokens(file);
  const found = known.find(([journal]) => journal === key)?.[1];
  if (found !== undefined) return found;
  const token = newToken();
  await writeTokens(file, [...known, [key, token] as const].slice(-maxTokens));
  return token;
}

type Tokens = readonly (readonly [journal: string, token: string])[];

async function readTokens(file: string): Promise<Tokens> {
  const text = await readUserFile(file, maxFileBytes, true);
  if (text === undefined) return [];
  try {
    const read: unknown = readJson(text);
    const tokens = isJsonObject(read) ? read['tokens'] : undefined;
    if (!isJsonObject(tokens)) return [];
    return Object.entries(tokens).filter((entry): entry is [string, string] => isToken(entry[1]));
  } catch {
    return [];
  }
}

function isToken(value: unknown): boolean {
  return typeof value === 'string' && /^[\w-]{32}$/.test(value);
}

async function writeTokens(file: string, tokens: Tokens): Promise<void> {
  try {
    await writeUserFile(file, `${JSON.stringify({ tokens: Object.fromEntries(tokens) }, undefined, 2)}\n`);
  } catch (thrown) {
    throw new CadreError('STORE_FAILED', `${file}: the token of the server cannot be saved: ${describeThrown(thrown)}`, {
      cause: thrown,
    });
  }
}
