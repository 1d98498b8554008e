import path from 'node:path';
import { CadreError, describeThrown } from '../../core/error.ts';
import { errorCode } from '../../files/error-code.ts';
import { readOutput, writeOutput } from '../../files/output-file.ts';
import { noSuchFile } from '../../files/read-inside.ts';
import type { Failure } from './failure.ts';

/** Treatment of snapshots: `new` writes unknown ones, `update` also those that differ, `none` writes nothing. */
export type SnapshotMode = 'new' | 'update' | 'none';

const maxSnapshotBytes = 100_000_000;

/** Snapshots of one test file: readable files in `__snapshots__` beside it. */
export class Snapshots {
  /** Folder of the test file. Links in it may have come with a project: they are neither compared with nor written through. */
  readonly #beside: string;
  readonly #stem: string;
  readonly #mode: SnapshotMode;
  readonly #names = new Set<string>();
  /** Files that were written. */
  readonly written: string[] = [];

  constructor(folder: string, stem: string, mode: SnapshotMode) {
    this.#beside = folder;
    this.#stem = stem;
    this.#mode = mode;
  }

  /** Compares a text with the snapshot of a name, or writes it; returns the difference, or why there is no snapshot to compare with. */
  async check(name: string, text: string): Promise<Omit<Failure, 'at'> | undefined> {
    const file = path.join(this.#beside, '__snapshots__', `${this.#stem}.${slugOf(name)}.txt`);
    if (this.#names.has(file))
      return { message: `two cases of the file have the snapshot '${slugOf(name)}'; give one of them another name` };
    this.#names.add(file);
    try {
      return await this.#compare(file, text);
    } catch (thrown) {
      if (thrown instanceof CadreError) return { message: thrown.message };
      if (errorCode(thrown) === undefined) throw thrown;
      return { message: `the snapshot ${path.relative('', file)} cannot be written: ${describeThrown(thrown)}` };
    }
  }

  async #compare(file: string, text: string): Promise<Omit<Failure, 'at'> | undefined> {
    const options = { namedBy: 'project', projects: [this.#beside] } as const;
    const read = await readOutput(file, maxSnapshotBytes, options);
    const shown = path.relative('', file);
    if ('reason' in read && read.reason !== noSuchFile && this.#mode !== 'update')
      return { message: `the snapshot ${shown} cannot be read: ${read.reason}; \`cadre test --update\` replaces it` };
    const before = 'reason' in read ? undefined : read.text;
    if (before === text) return undefined;
    if (this.#mode === 'update' || (before === undefined && this.#mode === 'new')) {
      await writeOutput(file, text, options);
      this.written.push(shown);
      return undefined;
    }
    if (before === undefined)
      return {
        message: `there is no snapshot ${shown}; write it with \`cadre test --update\` and commit it`,
        expected: '(no snapshot)',
        actual: text,
      };
    return { message: `the prompt differs from ${shown}; \`cadre test --update\` accepts it`, expected: before, actual: text };
  }
}

/** Returns a name as part of a file name. */
function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '');
  return slug.slice(0, 80) || 'snapshot';
}
