import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inFolder, profileVersions, withChanges } from '../../../src/testing/evals/bisect/changes.ts';
import { findCulprit } from '../../../src/testing/evals/bisect/search.ts';

const line = fc.constantFrom('a', 'b', 'c', '', '  d: e');
const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));
const folder = (root: string) =>
  fc
    .dictionary(fc.constantFrom('x.yaml', 'y.yaml', 'profiles/z.yaml'), text)
    .map((files) => Object.entries(files).map(([path, body]) => ({ path: `${root}/${path}`, text: body })));

const sorted = (files: readonly { readonly path: string; readonly text: string }[]): unknown =>
  files.map(({ path, text: body }) => [path, body]).toSorted();

describe('the changes between two versions of profiles', () => {
  it('make the new version when all are applied, and the old one when none is', () => {
    fc.assert(
      // Other teams, which the team includes, have files of the same names.
      fc.property(folder('old'), folder('new'), folder('other'), folder('other'), (own, ownNow, theirs, theirsNow) => {
        const [before, after] = [inFolder([...own, ...theirs], 'old', 'new'), [...ownNow, ...theirsNow]];
        const versions = profileVersions(before, after);
        expect(sorted(withChanges(versions, versions.changes))).toEqual(sorted(after));
        expect(sorted(withChanges(versions, []))).toEqual(sorted(before));
      }),
    );
  });

  it('can be applied in any choice, each line that was replaced by itself', () => {
    const [before, after] = ['a\nb\nc\nd\n', 'a\nB\nC\nd\nnew\n'].map((body) => [{ path: 'p/x.yaml', text: body }]);
    const versions = profileVersions(before ?? [], after ?? []);
    expect(versions.changes.map(({ line: at, removed, added }) => [at, removed, added])).toEqual([
      [2, ['b'], ['B']],
      [3, ['c'], ['C']],
      [5, [], ['new']],
    ]);
    const [first, second, third] = versions.changes;
    const withSome = (...some: (typeof first)[]) =>
      withChanges(
        versions,
        some.filter((each) => each !== undefined),
      )[0]?.text;
    expect(withSome(second)).toBe('a\nb\nC\nd\n');
    expect(withSome(first, third)).toBe('a\nB\nc\nd\nnew\n');
  });
});

describe('the search for the change that makes a case fail', () => {
  it('finds it among any number in few attempts, also when some versions do not load', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60 }),
        fc.nat(),
        fc.array(fc.nat(59), { maxLength: 8 }),
        async (size, pick, broken) => {
          const changes = Array.from({ length: size }, (_, index) => index);
          const culprit = pick % size;
          let attempts = 0;
          const found = await findCulprit(changes, async (chosen) => {
            attempts += 1;
            if (broken.includes(chosen.length)) return 'unresolved';
            return chosen.includes(culprit) ? 'fails' : 'passes';
          });
          const named = [...found.unresolved, found.change];
          expect(named).toContain(culprit);
          // What is named besides does not load one by one.
          for (const each of found.unresolved) expect(broken).toContain(each + 1);
          if (broken.length === 0) expect(attempts).toBeLessThanOrEqual(Math.ceil(Math.log2(size)) + 1);
        },
      ),
    );
  });
});
