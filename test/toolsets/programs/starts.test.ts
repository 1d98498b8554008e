import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const src = path.join(import.meta.dirname, '..', '..', '..', 'src');
const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(path.join(src, name), 'utf8').replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, '') }));

/** Lines of `src` that match, by file. */
function linesWith(pattern: RegExp, except: readonly string[] = []): readonly string[] {
  return files
    .filter(({ name }) => !except.includes(name))
    .flatMap(({ name, text }) => text.split('\n').flatMap((line) => (pattern.test(line) ? [`${name}: ${line.trim()}`] : [])));
}

const starter = 'files/programs/start-process.ts';

it('F70: one file starts processes; every other way to start one stands in no file of src', () => {
  expect(linesWith(/child_process/).filter((line) => !/import type \{[^}]*\} from 'node:child_process'/.test(line))).toEqual([
    "files/programs/start-process.ts: } from 'node:child_process';",
    // What the package that makes sandboxes gets in its place.
    expect.stringMatching(/^toolsets\/sandbox\/guarded-package\.ts: if \(.*child_process/),
  ]);
  expect(
    linesWith(/(?<![.\w]|async )(?:spawn|spawnSync|fork|execFile|execFileSync|execSync)\(/, [
      starter,
      'toolsets/sandbox/guarded-package.ts',
    ]),
  ).toEqual([]);
  expect(linesWith(/process\.(?:binding|execve|dlopen)\b|node-pty|cross-spawn|\bexeca\b/)).toEqual([]);
  // `execPath` is what `ownNode` checks.
  expect(linesWith(/process\.execPath/)).toEqual([
    expect.stringContaining('files/programs/own-node.ts'),
    expect.stringContaining('own-node.ts'),
  ]);
});

it('F70: no command line begins with a plain name or a path that was not looked up', () => {
  expect(linesWith(/\b(?:startProcess|startDirectly|runToEnd|runAtOnce)\(\s*\[\s*['"`]/)).toEqual([]);
  expect(linesWith(/\bargv:\s*\[\s*['"`]|return \[\s*['"`](?:\/|sh\b|bash\b)/)).toEqual([]);
  expect(linesWith(/['"`](?:\/usr)?(?:\/local)?\/s?bin\/\w/)).toEqual([
    // How the package's own command line is recognised on macOS.
    expect.stringMatching(/^toolsets\/sandbox\/sandbox\.ts: .*sandbox-exec/),
  ]);
});

it('what it starts is checked right before: every start in it follows a check', () => {
  const text = files.find(({ name }) => name === starter)?.text ?? '';
  const starts = [...text.matchAll(/return (?:withListeners\()?(?:spawn|spawnSync|fork)\(|\bexecFile\(program/g)];
  const checks = [
    ...text.matchAll(
      /assertFound\(\w+\);\n\s*return (?:(?:withListeners\()?(?:spawn|spawnSync|fork)\(|await new Promise[^\n]*\n\s*execFile\(program)/g,
    ),
  ];
  expect(starts.length).toBeGreaterThan(3);
  expect(checks).toHaveLength(starts.length);
});
