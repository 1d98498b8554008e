import { createHash } from 'node:crypto';
import { isJsonObject } from '../../core/json.ts';
import { readJson } from '../../core/read-json.ts';
import { type ProfileReach, nothingReached } from '../../engine/launch/reach-of-profiles.ts';
import { type CoveredFile, isCoveredFile } from './covered-files.ts';
import { readUserFile, writeUserFile } from '../../files/user-file.ts';
import { type ConfigEnv, ownFile } from './own-file.ts';

/** What a person agreed to at a place, kept to show what changed since. Decides nothing: `trust.json` does. */
export interface AgreedBefore {
  readonly place: string;
  readonly at: number;
  readonly reach: ProfileReach;
  /** Folders and files outside that were read. */
  readonly outside: readonly string[];
  readonly files: readonly CoveredFile[];
}

const maxFileBytes = 8_000_000;
/** Longest text of a file that is kept for comparisons, in characters, and of all files. */
const longestText = 100_000;
const longestTexts = 2_000_000;

/** Reads what was agreed to at a place last; undefined when nothing is known. */
export async function readAgreed(env: ConfigEnv, place: string): Promise<AgreedBefore | undefined> {
  const text = await readUserFile(agreedFile(env, place), maxFileBytes);
  if (text === undefined) return undefined;
  try {
    const read: unknown = readJson(text);
    return isJsonObject(read) && read['place'] === place ? toAgreed(read) : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps what was agreed to at a place. If that throws, the next question shows everything. */
export async function keepAgreed(env: ConfigEnv, agreed: AgreedBefore): Promise<void> {
  let left = longestTexts;
  const files = agreed.files.map(({ path, hash, text }): CoveredFile => {
    const isKept = text !== undefined && text.length <= Math.min(longestText, left);
    if (isKept) left -= text.length;
    return { path, hash, ...(isKept ? { text } : {}) };
  });
  await writeUserFile(agreedFile(env, agreed.place), `${JSON.stringify({ ...agreed, files })}\n`);
}

function agreedFile(env: ConfigEnv, place: string): string {
  return ownFile(env, 'agreed', `${createHash('sha256').update(place).digest('hex').slice(0, 40)}.json`);
}

function toAgreed(read: Readonly<Record<string, unknown>>): AgreedBefore {
  const { reach, files, outside, at, place } = read;
  const lines = (key: keyof ProfileReach): readonly string[] => textsOf(isJsonObject(reach) ? reach[key] : undefined);
  return {
    place: String(place),
    at: Number(at),
    reach: {
      ...nothingReached,
      commands: lines('commands'),
      code: lines('code'),
      variables: lines('variables'),
      destinations: lines('destinations'),
      files: lines('files'),
      approvals: lines('approvals'),
      settings: lines('settings'),
    },
    outside: textsOf(outside),
    files: Array.isArray(files) ? files.filter(isCoveredFile) : [],
  };
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
