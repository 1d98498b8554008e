import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onAgreed } from '../../files/guard/agreed-writes.ts';
import type { BytePath } from './byte-path.ts';
import { readJson } from '../../core/read-json.ts';

/** Data for sweeping a workspace when this process is killed while a command runs there. */
export interface SweepRecord {
  /** Real path. */
  readonly root: string;
  /** Auto-run files that existed before the command. */
  readonly before: readonly BytePath[];
  /** Programs among them, with their marks. */
  readonly programs: readonly (readonly [BytePath, string])[];
  /** Names in the root that the sandbox holds. */
  readonly held: readonly string[];
  /** The setting `allow_writes`. */
  readonly allowWrites: readonly string[];
}

/** Sweep records of this process, one file per running command, in a folder that only its user can read. */
export interface SweepRecords {
  readonly folder: string;
  /** Keeps a record until the returned function is called. */
  keep(record: SweepRecord): () => void;
  /** Removes the folder. Call when no command runs. */
  remove(): void;
}

const suffix = '.json';
const agreedFile = 'agreed';

/** Creates the folder for the records of this process. */
export function makeSweepRecords(): SweepRecords {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-sweep-')));
  // A file written with a person's agreement while a command runs was not planted by it.
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

/** Reads the records of a killed process, and the paths that a person had agreed to. */
export function readSweepRecords(folder: string): { readonly records: readonly SweepRecord[]; readonly agreed: readonly string[] } {
  const read = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
  const agreed = existsSync(path.join(folder, agreedFile)) ? read(agreedFile).split('\n').filter(Boolean) : [];
  return {
    records: readdirSync(folder)
      .filter((name) => name.endsWith(suffix))
      .map((name) => readJson(read(name)) as SweepRecord),
    agreed: agreed.map((line) => readJson(line) as string),
  };
}
