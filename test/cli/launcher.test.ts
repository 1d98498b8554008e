import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const launcher = path.join(import.meta.dirname, '..', '..', 'bin', 'cadre.mjs');

/** A Node of this machine that is too old for the sources; undefined when there is none. */
function oldNode(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => !folder.includes('node_modules'));
  return folders
    .map((folder) => path.join(folder, 'node'))
    .filter((file) => existsSync(file))
    .find((file) => /^v(?:18|20|22)\./.test(execFileSync(file, ['--version']).toString('utf8')));
}

describe('the launcher', () => {
  it('starts the command line, and hands on its exit code', () => {
    expect(execFileSync(process.execPath, [launcher, '--version']).toString('utf8')).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(() => execFileSync(process.execPath, [launcher, 'frob'], { stdio: 'pipe' })).toThrow(
      expect.objectContaining({ status: 2 }),
    );
  });

  const old = oldNode();
  it.skipIf(old === undefined)('on an older Node starts the Node that is installed as a package', () => {
    expect(execFileSync(old ?? '', [launcher, '--version']).toString('utf8')).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(() => execFileSync(old ?? '', [launcher, 'frob'], { stdio: 'pipe' })).toThrow(
      expect.objectContaining({ status: 2, stderr: expect.anything() }),
    );
  });
});
