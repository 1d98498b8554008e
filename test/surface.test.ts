import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import * as cadre from '../src/index.ts';
import { engineVersion } from '../src/engine/version.ts';
import * as testing from '../src/testing/index.ts';

const root = path.join(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

it('the root exports what the documentation promises, and nothing else', () => {
  expect(Object.keys(cadre).toSorted()).toEqual([
    'CadreError',
    'Flow',
    'createEngine',
    'createToolRegistry',
    'currentRequest',
    'defineIngestor',
    'defineObserver',
    'defineTool',
    'loadProfiles',
    'toolReturn',
  ]);
});

it('cadre/testing exports its doubles and checks', () => {
  expect(Object.keys(testing)).toEqual(
    expect.arrayContaining([
      'countingIds',
      'manualClock',
      'scriptedModel',
      'chaosModel',
      'chaosPerson',
      'createMemoryJournal',
      'expectTurn',
      'expectRun',
      'loadTestProfiles',
      'turnMatchers',
    ]),
  );
});

it('cadre/mcp exports what makes toolsets of servers', async () => {
  expect(Object.keys(await import('../src/toolsets/mcp/mcp-toolset.ts'))).toEqual(expect.arrayContaining(['mcpToolset']));
});

it('cadre/server exports what serves an engine', async () => {
  expect(Object.keys(await import('../src/server/index.ts'))).toEqual(['createServerApp', 'serve', 'receiveMail']);
});

it('cadre/postgres exports what opens a journal, and loads no driver before', async () => {
  expect(Object.keys(await import('../src/journal/postgres/postgres-journal.ts'))).toEqual(['createPostgresJournal']);
});

it('cadre/restate exports what runs on several machines need, and loads no SDK before', async () => {
  expect(Object.keys(await import('../src/restate/restate-runtime.ts'))).toEqual(['restateRuntime']);
});

it('the package has these entry points', () => {
  expect(Object.keys(manifest.exports)).toEqual([
    '.',
    './testing',
    './sqlite',
    './postgres',
    './restate',
    './documents',
    './web',
    './mcp',
    './otel',
    './events',
    './server',
    './package.json',
  ]);
});

it('runs record the version of the package', () => {
  expect(engineVersion).toBe(manifest.version);
});

it('every dependency is pinned to one version', () => {
  const { 'cadre-node24': folder = '', ...devDependencies } = manifest.devDependencies;
  expect(folder).toBe('file:scripts/node24');
  const node = JSON.parse(readFileSync(path.join(root, 'scripts', 'node24', 'package.json'), 'utf8')) as typeof manifest;
  const all = Object.entries({ ...manifest.dependencies, ...devDependencies, ...node.optionalDependencies });
  expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-beta\.\d+)?$/.test(version))).toEqual([]);
});

it('importing the root opens no socket, starts no timer, and loads neither SQLite nor a model provider', async () => {
  const script = `
    await import(${JSON.stringify(path.join(root, 'src/index.ts'))});
    const left = process.getActiveResourcesInfo().filter((name) => /TCP|UDP|Timeout|Immediate|FSReq/.test(name));
    const loaded = process.moduleLoadList.filter((name) => /sqlite/.test(name));
    console.log(JSON.stringify({ left, loaded }));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  expect(JSON.parse(stdout)).toEqual({ left: [], loaded: [] });
});

it('the schemas for editors are those of this version: npm run schemas', async () => {
  const { profileJsonSchema, llmConfigJsonSchema, handoverProtocolJsonSchema, scriptJsonSchema, teamJsonSchema, testJsonSchema } =
    await import('../src/profiles/json-schemas.ts');
  const shipped = (name: string): unknown => JSON.parse(readFileSync(path.join(root, 'schemas', `${name}.schema.json`), 'utf8'));
  expect(shipped('profile')).toEqual(profileJsonSchema());
  expect(shipped('llm_config')).toEqual(llmConfigJsonSchema());
  expect(shipped('handover_protocol')).toEqual(handoverProtocolJsonSchema());
  expect(shipped('script')).toEqual(scriptJsonSchema());
  expect(shipped('team')).toEqual(teamJsonSchema());
  expect(shipped('test')).toEqual(testJsonSchema());
});
