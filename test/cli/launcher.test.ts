import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../files/temp-folder.ts';

const launcher = path.join(import.meta.dirname, '..', '..', 'bin', 'cadre.mjs');

/** Finds a Node on this machine that is too old for the sources; undefined without one. */
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

  it.skipIf(process.getuid === undefined)('keeps compiled code in a folder of its user alone, and nowhere else', async () => {
    const start = (folder: string): void =>
      void execFileSync(process.execPath, [launcher, '--version'], { env: { ...process.env, TMPDIR: folder } });
    const name = `cadre-compiled-${process.getuid?.()}`;
    const own = await makeFolder({});
    start(own);
    expect(readdirSync(path.join(own, name))).not.toEqual([]);

    const open = await makeFolder({});
    mkdirSync(path.join(open, name));
    chmodSync(path.join(open, name), 0o777);
    start(open);
    expect(readdirSync(path.join(open, name))).toEqual([]);

    const linked = await makeFolder({ 'elsewhere/a.txt': '' });
    symlinkSync(path.join(linked, 'elsewhere'), path.join(linked, name));
    start(linked);
    expect(readdirSync(path.join(linked, 'elsewhere'))).toEqual(['a.txt']);
    expect([...readdirSync(open), ...readdirSync(linked)].filter((entry) => entry.startsWith('node-'))).toEqual([]);
  });

  const old = oldNode();
  it.skipIf(old === undefined)('on an older Node starts the Node that is installed as a package', () => {
    expect(execFileSync(old ?? '', [launcher, '--version']).toString('utf8')).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(() => execFileSync(old ?? '', [launcher, 'frob'], { stdio: 'pipe' })).toThrow(
      expect.objectContaining({ status: 2, stderr: expect.anything() }),
    );
  });

  it.skipIf(old === undefined || process.platform !== 'linux')('leaves nobody running when it is killed', async () => {
    const starter = spawn(old ?? '', [launcher, 'mcp', '--http', '--port', '0', '--store', 'memory'], { stdio: 'pipe' });
    await Promise.race([once(starter.stdout, 'data'), once(starter.stderr, 'data')]);
    const started = readFileSync(`/proc/${starter.pid}/task/${starter.pid}/children`, 'utf8').trim();
    expect(existsSync(`/proc/${started}`)).toBe(true);
    // The streams close once both the killed process and the one it started are gone.
    const closed = once(starter, 'close');
    starter.kill('SIGKILL');
    await expect(closed).resolves.toBeDefined();
  });
});
