import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onAgreed } from '../files/guard/agreed-writes.ts';
import type { BytePath } from './byte-path.ts';

/** What is to be swept of a workspace when this process is killed while a command runs there. */
export interface SweepRecord {
  /** A real path. */
  readonly root: string;
  /** What was there before the command and makes other programs run something. */
  readonly before: readonly BytePath[];
  /** Names in the root that the sandbox keeps. */
  readonly held: readonly string[];
  /** The setting `allow_writes`. */
  readonly allowWrites: readonly string[];
}

/** The records of this process, one file for each command that runs, in a folder that only its user can look into. */
export interface SweepRecords {
  readonly folder: string;
  /** Keeps a record until the returned function is called. */
  keep(record: SweepRecord): () => void;
  /** To be called when no command runs any more. */
  remove(): void;
}

const suffix = '.json';
const agreedFile = 'agreed';

/** Makes the folder for the records of this process. */
export function makeSweepRecords(): SweepRecords {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-sweep-')));
  // What a person agreed to while a command runs was not planted by it.
  const stop = onAgreed((place) => appendFileSync(path.join(folder, agreedFile), `${JSON.stringify(place)}\n`));
  return {
    folder,
    keep: (record) => {
      const file = path.join(folder, `${randomBytes(8).toString('hex')}${suffix}`);
      writeFileSync(file, JSON.stringify(record), { mode: 0o600 });
      return () => rmSync(file, { force: true });
    },
    remove: () => {
      stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What a process that was killed left to be swept, and what a person had agreed to. */
export function readSweepRecords(folder: string): { readonly records: readonly SweepRecord[]; readonly agreed: readonly string[] } {
  const read = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
  const agreed = existsSync(path.join(folder, agreedFile)) ? read(agreedFile).split('\n').filter(Boolean) : [];
  return {
    records: readdirSync(folder)
      .filter((name) => name.endsWith(suffix))
      .map((name) => JSON.parse(read(name)) as SweepRecord),
    agreed: agreed.map((line) => JSON.parse(line) as string),
  };
}
