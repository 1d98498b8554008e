import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toPlainFacts } from '../../src/inspect/turn/profile-facts.ts';
import { type CompileOutcome, compileProfileFiles } from '../../src/profiles/compile-profile-files.ts';
import { fuzzProfiles } from './fuzz-profiles.ts';
import { mutate, mutation } from './mutate-text.ts';
import { repeats } from '../support/repeats.ts';

const folder = fileURLToPath(new URL('fixtures/team', import.meta.url));
const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.yaml'))
  .map((path) => ({ path, text: readFileSync(`${folder}/${path}`, 'utf8') }));

function factsOf({ set }: CompileOutcome): unknown {
  return set === undefined ? undefined : [...set.profiles.values()].map((profile) => toPlainFacts(profile, set.llmConfigs));
}

describe('whatever stands in a file', () => {
  it('compiling answers with a set or with errors that lie in the file, and never throws', () => {
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.array(mutation, { minLength: 1, maxLength: 4 }), (original, changes) => {
        const text = changes.reduce(mutate, original.text);
        const { set, diagnostics } = compileProfileFiles([{ path: original.path, text }], { known: {}, env: {} });
        expect(set === undefined).toBe(diagnostics.some(({ severity }) => severity === 'error'));
        const lines = text.split('\n');
        for (const { source, message } of diagnostics) {
          expect(message).not.toBe('');
          expect(source.file).toBe(original.path);
          expect(source.line).toBeLessThanOrEqual(lines.length);
          expect(source.column).toBeLessThanOrEqual((lines[source.line - 1] ?? '').length + 1);
        }
      }),
      { numRuns: repeats(1_000) },
    );
  });

  it('the bundled profiles, broken in hundreds of ways, are refused with code and place or are still good', () => {
    const { files, refused, fine, wrong } = fuzzProfiles(repeats(1_000), 20_261_121);
    expect(wrong).toEqual([]);
    expect(refused + fine).toBe(files);
    expect(fine).toBeGreaterThan(0);
  });

  it('files of a record, whose shapes are not checked again: nothing is thrown, and views say of a good set what they say of it checked', () => {
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.array(mutation, { maxLength: 4 }), ({ path }, changes) => {
        const files = texts.map((file) => (file.path === path ? { path, text: changes.reduce(mutate, file.text) } : file));
        const checked = compileProfileFiles(files, { env: {} });
        const recorded = compileProfileFiles(files, { env: {}, isRecorded: true });
        if (checked.set !== undefined) expect(factsOf(recorded)).toEqual(factsOf(checked));
      }),
      { numRuns: repeats(300) },
    );
  });

  it('text of any kind', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const { set, diagnostics } = compileProfileFiles([{ path: 'p.yaml', text }], { known: {}, env: {} });
        expect(set === undefined).toBe(diagnostics.some(({ severity }) => severity === 'error'));
      }),
      { numRuns: repeats(500) },
    );
  });
});
