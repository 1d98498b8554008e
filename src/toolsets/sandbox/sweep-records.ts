import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { onAgreed } from '../../files/guard/agreed-writes.ts';
import { appendTempFile, makeTempFolder, removeTempSync, writeTempFile } from '../../files/temp-folder.ts';
import type { BytePath } from './byte-path.ts';
import { writeKeyringFilter } from './keyring-filter.ts';
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
  const folder = realpathSync(makeTempFolder('sweep'));
  writeKeyringFilter(folder);
  // A file written with a person's agreement while a command runs was not planted by it.
  const stop = onAgreed((place) => appendTempFile(path.join(folder, agreedFile), `${JSON.stringify(place)}\n`));
  return {
    folder,
    keep: (record) => {
      const file = path.join(folder, `${randomBytes(8).toString('hex')}${suffix}`);
      writeTempFile(file, JSON.stringify(record));
      return () => removeTempSync(file);
    },
    remove: () => {
      stop();
      removeTempSync(folder);
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
