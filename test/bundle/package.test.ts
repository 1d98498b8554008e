import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..', '..');
const { exports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { exports: Record<string, unknown> };
const subpaths = Object.keys(exports)
  .filter((key) => key !== './package.json')
  .map((key) => path.posix.join('cadre', key));
const notCloned = new Set(['.git', '.cadre', 'node_modules', 'dist', 'test', 'test-results', 'coverage']);
/** The build of the package on a busy machine, in milliseconds. */
const patience = 240_000;
let project = '';

const program = `
${subpaths.map((subpath, index) => `import * as part${index} from '${subpath}';`).join('\n')}
import { createEngine, type CadreEvent, type EventOf } from 'cadre';
import { scriptedModel } from 'cadre/testing';

const stops = (event: CadreEvent): string | undefined => (event.type === 'agent.await' ? event.agentId : undefined);
const ended = (event: EventOf<'tool.end'>): string => event.status;
const profiles = { files: [{ path: 'profiles/host.yaml', text: 'name: Host\\ntype: associate\\ninstructions: You greet.\\n' }] };
await using engine = await createEngine({ profiles, models: { default: scriptedModel(['Hello.']) }, store: 'memory' });
const run = await engine.launch({ profile: 'Host', input: 'Hi.' });
const types: string[] = [];
for await (const { type } of run.events()) types.push(type);
console.log((await run.result).status, [${subpaths.map((_, index) => `Object.keys(part${index}).length`).join(', ')}].every((count) => count > 0));
console.log(typeof stops, typeof ended, types.at(-1));
`;

/** A project of another person: the package as it is published, and its dependencies. */
beforeAll(() => {
  project = mkdtempSync(path.join(tmpdir(), 'cadre-package-'));
  // Packed from a clone: packing empties dist/, which other tests run from.
  const clone = path.join(project, 'clone');
  for (const name of readdirSync(root))
    if (!notCloned.has(name)) cpSync(path.join(root, name), path.join(clone, name), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(clone, 'node_modules'));
  const said = execFileSync('npm', ['pack', '--json', '--pack-destination', project], {
    cwd: clone,
    encoding: 'utf8',
    stdio: 'pipe',
  });
  const file = /cadre-[\w.-]+\.tgz/.exec(said)?.[0] ?? '';
  const modules = path.join(project, 'node_modules');
  mkdirSync(path.join(modules, 'cadre'), { recursive: true });
  execFileSync('tar', ['xzf', path.join(project, file), '-C', path.join(modules, 'cadre'), '--strip-components=1']);
  const { dependencies, peerDependencies } = JSON.parse(
    readFileSync(path.join(modules, 'cadre', 'package.json'), 'utf8'),
  ) as Record<'dependencies' | 'peerDependencies', Record<string, string>>;
  for (const name of [...Object.keys({ ...dependencies, ...peerDependencies }), '@types/node', '@types/pg']) {
    const to = path.join(modules, name);
    mkdirSync(path.dirname(to), { recursive: true });
    symlinkSync(path.join(root, 'node_modules', name), to);
  }
  writeFileSync(path.join(project, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  writeFileSync(path.join(project, 'program.ts'), program);
  writeFileSync(
    path.join(project, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        target: 'esnext',
        module: 'nodenext',
        lib: ['esnext', 'dom'],
        types: ['node'],
        noEmit: true,
      },
      include: ['program.ts'],
    }),
  );
}, patience);

afterAll(() => rmSync(project, { recursive: true, force: true }));

describe('the package as it is published, in a project of another person', { timeout: patience }, () => {
  it('has types for every entry point, by which a strict program compiles', () => {
    const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', project], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });

  it('runs that program, and its command', () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['program.ts'], { cwd: project, encoding: 'utf8' });
    expect({ stdout, stderr }).toEqual({ stdout: 'completed true\nfunction function run.end\n', stderr: '' });
    const command = path.join(project, 'node_modules', 'cadre', 'bin', 'cadre.mjs');
    const said = spawnSync(process.execPath, [command, '--version'], { cwd: project, encoding: 'utf8' });
    expect(said).toMatchObject({ status: 0, stdout: '0.1.0\n' });
  });
});
