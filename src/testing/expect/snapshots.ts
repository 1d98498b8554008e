import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Failure } from './failure.ts';

/** Treatment of snapshots: `new` writes unknown ones, `update` also those that differ, `none` writes nothing. */
export type SnapshotMode = 'new' | 'update' | 'none';

/** Snapshots of one test file: readable files in `__snapshots__` beside it. */
export class Snapshots {
  readonly #folder: string;
  readonly #stem: string;
  readonly #mode: SnapshotMode;
  readonly #names = new Set<string>();
  /** Files that were written. */
  readonly written: string[] = [];

  constructor(folder: string, stem: string, mode: SnapshotMode) {
    this.#folder = path.join(folder, '__snapshots__');
    this.#stem = stem;
    this.#mode = mode;
  }

  /** Compares a text with the snapshot of a name, or writes it; returns the difference. */
  async check(name: string, text: string): Promise<Omit<Failure, 'at'> | undefined> {
    const file = path.join(this.#folder, `${this.#stem}.${slugOf(name)}.txt`);
    if (this.#names.has(file))
      return { message: `two cases of the file have the snapshot '${slugOf(name)}'; give one of them another name` };
    this.#names.add(file);
    const before = await readFile(file, 'utf8').catch(() => undefined);
    if (before === text) return undefined;
    const shown = path.relative('', file);
    if (this.#mode === 'update' || (before === undefined && this.#mode === 'new')) {
      await mkdir(this.#folder, { recursive: true });
      await writeFile(file, text);
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
