import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { whyNoSandbox } from '../../tools/toolset-under-test.ts';
import { scratchHome } from './scratch-home.ts';

const program = path.join(import.meta.dirname, 'commands-child.ts');
const names = ['bwrap', 'socat', 'rg', 'sh', 'bash', 'which', 'npm', 'env', 'grep', 'sleep', 'python3', 'git', 'node'];

/** A project, and a folder beside it where a planted program leaves its mark once it runs outside of the sandbox. */
function project() {
  const base = scratchHome();
  const [folder, outside] = [path.join(base, 'project'), path.join(base, 'outside')];
  mkdirSync(folder);
  mkdirSync(outside);
  return { base, folder, outside, mark: path.join(outside, 'mark') };
}

/** What a sandboxed command runs to plant programs in folders. */
function planting(folders: readonly string[], mark: string, planted: readonly string[] = names): string {
  const script = `#!/bin/sh\\necho "$0" >>${mark}\\nexec /usr/bin/$(basename "$0") "$@"\\n`;
  const plant = `for name in ${planted.join(' ')}; do printf '${script}' >$into/$name; chmod 755 $into/$name; done`;
  return `for into in ${folders.join(' ')}; do mkdir -p $into; ${plant}; done; echo planted-$((2-1))`;
}

interface Start {
  readonly cwd: string;
  readonly searchPath: string;
  readonly workspace?: string;
  readonly settings?: object;
}

function run({ cwd, searchPath, workspace = cwd, settings = {} }: Start, ...commands: readonly string[]): readonly string[] {
  const args = [program, workspace, JSON.stringify(settings), ...commands];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    cwd,
    env: { ...process.env, PATH: searchPath },
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as string[];
}

const usual = '/usr/local/bin:/usr/bin:/bin';

describe.skipIf(whyNoSandbox() !== undefined)('F70: programs that a sandboxed command planted', { timeout: 120_000 }, () => {
  it('npm run: none of `node_modules/.bin` runs outside, in this process or the next', () => {
    const { folder, mark } = project();
    // npm itself looks up its shell there.
    const planted = names.filter((name) => name !== 'sh');
    // Its author lets the agent install packages: else what it plants would be moved away.
    const command = `'${process.execPath}' '${program}' '${folder}' '{"allow_writes":["node_modules/.bin"]}' "$FIRST" 'echo second-$((1+1))'`;
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'x', scripts: { team: command } }));
    const npm = (): string =>
      spawnSync('npm', ['run', '--silent', 'team'], {
        cwd: folder,
        env: { ...process.env, FIRST: planting(['node_modules/.bin'], mark, planted) },
        encoding: 'utf8',
      }).stdout;
    for (const said of [npm(), npm()]) expect(said).toMatch(/planted-1[^]*second-2/);
    expect(readdirSync(path.join(folder, 'node_modules/.bin'))).toHaveLength(planted.length);
    expect(existsSync(mark)).toBe(false);
  });

  it('no folder of PATH that an agent or a project fills is searched, in whatever way PATH names it', () => {
    const { base, folder, mark } = project();
    const [own, workspace, linked] = [path.join(base, 'own/bin'), path.join(base, 'workspace'), path.join(base, 'linked')];
    for (const made of [own, path.join(workspace, 'bin'), linked, path.join(folder, 'tools')]) mkdirSync(made, { recursive: true });
    symlinkSync(path.join(folder, 'tools'), path.join(base, 'link'));
    for (const name of names) {
      // Two links of the user, the second of which leads into the project.
      symlinkSync(path.join(folder, 'tools', name), path.join(base, `${name}-second`));
      symlinkSync(`../${name}-second`, path.join(linked, name));
    }
    const inProject = ['.venv/bin', '.', 'bin', 'tools'];
    const settings = { write: [path.dirname(own), workspace], allow_writes: ['**'] };
    run({ cwd: folder, searchPath: usual, settings }, planting([...inProject, own, path.join(workspace, 'bin')], mark));
    expect([own, linked].map((place) => existsSync(path.join(place, 'bwrap')))).toEqual([true, true]);
    const kinds: Readonly<Record<string, Start>> = {
      '.venv/bin at the front': { cwd: folder, searchPath: `${folder}/.venv/bin:${usual}` },
      'the project itself, and a folder in it as direnv has it': { cwd: folder, searchPath: `${folder}:${folder}/bin:${usual}` },
      '`.`': { cwd: folder, searchPath: `.:${usual}` },
      'an empty entry at the front': { cwd: folder, searchPath: `:${usual}` },
      'an empty entry in the middle': { cwd: folder, searchPath: `/nonexistent::${usual}` },
      'a relative entry': { cwd: folder, searchPath: `tools/bin:${usual}` },
      'a link into the project': { cwd: folder, searchPath: `${base}/link:${usual}` },
      'links of programs into the project': { cwd: folder, searchPath: `${linked}:${usual}` },
      'the workspace of a run outside the project': { cwd: folder, workspace, searchPath: `${workspace}/bin:${usual}` },
      'a folder that settings let it write': { cwd: folder, searchPath: `${own}:${usual}`, settings },
    };
    for (const [kind, start] of Object.entries(kinds))
      expect([kind, run(start, 'echo again')[0]]).toEqual([kind, expect.stringContaining('again')]);
    expect(existsSync(mark)).toBe(false);
  });

  it('where there is no other: it is refused with the reason and the remedy, and nothing runs', () => {
    const { folder, mark } = project();
    run(
      { cwd: folder, searchPath: usual, settings: { allow_writes: ['node_modules/.bin'] } },
      planting(['node_modules/.bin'], mark),
    );
    const bin = path.join(folder, 'node_modules/.bin');
    const [said = ''] = run({ cwd: folder, searchPath: bin }, 'touch ran');
    expect(said).toMatch(/^refused: .*Nothing was run/);
    for (const name of ['bwrap', 'socat', 'rg'])
      expect(said).toContain(`${path.join(bin, name)} is not started, since ${folder} lies in what a sandbox may write`);
    expect(said).toMatch(/remove that folder from PATH.*apt-get install -y bubblewrap socat ripgrep/);
    expect([existsSync(path.join(folder, 'ran')), existsSync(mark)]).toEqual([false, false]);
  });

  it('a program of the user’s own serves, until it is replaced: then it is refused', () => {
    const { base, folder, outside, mark } = project();
    const own = path.join(base, 'own');
    mkdirSync(own);
    for (const name of ['bwrap', 'socat', 'rg']) copyFileSync(`/usr/bin/${name}`, path.join(own, name));
    const start = { cwd: folder, searchPath: own };
    expect(run(start, 'echo served')[0]).toContain('served');
    // Replaced while the process runs, by what is no agent of this process.
    const replacing = path.join(outside, 'replaced');
    writeFileSync(replacing, `#!/bin/sh\necho "$0" >>${mark}\nexec /usr/bin/bwrap "$@"\n`);
    chmodSync(replacing, 0o755);
    const late = spawnSync(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `const { findProgram, assertFound } = await import('${new URL('../../../src/files/programs/find-program.ts', import.meta.url).href}');
         const { renameSync } = await import('node:fs');
         const { path } = findProgram('bwrap');
         renameSync('${replacing}', path);
         for (const look of [() => findProgram('bwrap'), () => assertFound(path)]) try { look(); console.log('accepted'); } catch (error) { console.log(error.message); }`,
      ],
      { cwd: folder, env: { ...process.env, PATH: own }, encoding: 'utf8' },
    );
    expect(late.stdout.match(/was replaced since Cadre first found it/g)).toHaveLength(2);
    expect(late.stdout).not.toContain('accepted');
  });
});
