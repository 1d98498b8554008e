import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { cpuMicros } from '../../bench/measure.ts';
import { compileProfileFiles } from '../../src/profiles/compile-profile-files.ts';
import { mutate, mutation } from './mutate-text.ts';

const folder = fileURLToPath(new URL('../../agent_profiles', import.meta.url));

/** Outcome of loading broken profiles. */
export interface ProfileFuzz {
  readonly files: number;
  /** Refused, each with a code and a place in the file. */
  readonly refused: number;
  /** Still a good profile. */
  readonly fine: number;
  /** Anything else: something was thrown, or an error without code or place. */
  readonly wrong: readonly string[];
  /** CPU time of the slowest one. */
  readonly slowestMs: number;
  readonly mostHeapMb: number;
}

/** Breaks the bundled profiles in so many ways, always the same for one seed, and compiles each. */
export function fuzzProfiles(count: number, seed: number): ProfileFuzz {
  const originals = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.yaml'))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(`${folder}/${path}`, 'utf8') }));
  const broken = fc.sample(fc.tuple(fc.constantFrom(...originals), fc.array(mutation, { minLength: 1, maxLength: 4 })), {
    numRuns: count,
    seed,
  });
  // What the first file of a process costs is not the file's.
  for (const original of originals) compileProfileFiles([original], { known: {}, env: {} });
  const wrong: string[] = [];
  let [refused, fine, slowestMs, mostHeapMb] = [0, 0, 0, 0];
  for (const [index, [original, changes]] of broken.entries()) {
    const text = changes.reduce(mutate, original.text);
    const heap = process.memoryUsage().heapUsed;
    const begin = cpuMicros();
    try {
      const { set, diagnostics } = compileProfileFiles([{ path: original.path, text }], { known: {}, env: {} });
      slowestMs = Math.max(slowestMs, (cpuMicros() - begin) / 1000);
      const errors = diagnostics.filter(({ severity }) => severity === 'error');
      if (set !== undefined && errors.length === 0) fine++;
      else if (set === undefined && errors.length > 0 && errors.every((error) => hasPlace(error, original.path, text))) refused++;
      else wrong.push(`${original.path} #${index}: an error without code or place`);
    } catch (thrown) {
      wrong.push(`${original.path} #${index}: threw ${String(thrown)}`);
    }
    mostHeapMb = Math.max(mostHeapMb, (process.memoryUsage().heapUsed - heap) / 1e6);
  }
  return { files: broken.length, refused, fine, wrong, slowestMs, mostHeapMb };
}

function hasPlace(
  error: { readonly code: string; readonly source: { readonly file: string; readonly line: number; readonly column: number } },
  path: string,
  text: string,
): boolean {
  const { file, line, column } = error.source;
  const lines = text.split('\n');
  return (
    error.code !== '' &&
    file === path &&
    line >= 1 &&
    line <= lines.length &&
    column >= 1 &&
    column <= (lines[line - 1] ?? '').length + 1
  );
}
