import { lstat, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { empty } from '../../src/cli/starter/templates/empty.ts';
import { homeSecret, plant, plantedFiles, plantedFolders, put, type Planted } from '../files/planted-links.ts';
import { runCli, startForTest, type Finished } from './cli-process.ts';

const starter: Readonly<Record<string, string>> = Object.fromEntries(empty.files.map(({ file, text }) => [file, text]));
const toFile = plantedFiles['a chain of links'] ?? never;
const toMissing = plantedFiles['a link to a file that is not there yet'] ?? never;
const toFolder = plantedFolders['a link to a folder in the home'] ?? never;
const toHome = plantedFolders['a link to the home'] ?? never;

function never(): never {
  throw new Error('there is no such kind');
}

/** Runs a command in a project; nothing in the home may be made, changed or shown by it. */
async function runThere(words: readonly string[], { project, home, homeNow }: Planted): Promise<Finished> {
  const before = await homeNow();
  const finished = await runCli(words, { cwd: project, env: { HOME: home } });
  expect(await homeNow()).toBe(before);
  return finished;
}

/** Makes a project with one finished run, and `run.json` and `run.html` of it. */
async function projectWithRun(): Promise<Planted> {
  const there = await plant(starter);
  expect(await runThere(['run', 'Hello'], there)).toMatchObject({ code: 0 });
  return there;
}

describe('F72: cadre test writes and compares no snapshot through what a project planted', () => {
  it('in place of the file or of its folder, and reports every case all the same', async () => {
    const there = await plant(starter);
    const folders = Object.entries(plantedFolders);
    const files = Object.entries(plantedFiles);
    const caseOf = (name: string): string =>
      `profile: Agent\ncases:\n  - name: ${name}\n    given: { inbox: [{ user: hello }] }\n    expect: { prompt: { contains: helpful, snapshot: true } }\n`;
    for (const [at, [, how]] of [...files, ...folders].entries()) {
      const folder = path.join(there.project, `agent_profiles/tests/t${at}`);
      await mkdir(folder, { recursive: true });
      await writeFile(path.join(folder, 'a.test.yaml'), caseOf(`t${at}`));
      const isFile = at < files.length;
      await put(path.join(folder, isFile ? `__snapshots__/a.t${at}.txt` : '__snapshots__'), how, there.home);
    }
    await mkdir(path.join(there.project, 'agent_profiles/tests/plain'));
    await writeFile(path.join(there.project, 'agent_profiles/tests/plain/a.test.yaml'), caseOf('plain'));
    for (const more of [[], ['--update']]) {
      const { code, out } = await runThere(['test', ...more], there);
      for (const [at, [kind]] of [...files, ...folders].entries())
        if (kind !== 'a hard link')
          expect(out).toMatch(
            new RegExp(`tests/t${at}/a\\.test\\.yaml:\\S+ The path \\S+ is refused: \\S+ is a (symbolic link to|pipe)`),
          );
      expect(out).toContain('ok Agent: plain');
      expect(code).toBe(1);
    }
    const plain = path.join(there.project, 'agent_profiles/tests/plain/__snapshots__/a.plain.txt');
    expect(await readFile(plain, 'utf8')).toContain('helpful');
    // The other name of a hard link keeps what it had.
    expect(await readFile(path.join(there.project, 'agent_profiles/tests/t4/__snapshots__/a.t4.txt'), 'utf8')).toContain('helpful');
  });
});

/** Commands that write, where, and what is planted there; `npm run test:sweeps` has all, the other runs every third. */
const commands = (
  [
    ['schema', ['schema', '--out', 'schemas'], 'schemas', toFolder],
    ['schema', ['schema', '--out', 'schemas'], 'schemas/team.schema.json', toMissing],
    ['init', ['init', '--force', '--template', 'empty'], 'agent_profiles/profiles', toHome],
    ['init', ['init', '--force', '--template', 'empty'], 'agent_profiles/scripts/offline.yaml', toFile],
    ['init', ['init', 'new'], 'new', toFolder],
    ['run', ['run', '--record', 'out/r.json', 'Hello'], 'out', toFolder],
    ['run', ['run', '--record', 'r.json', 'Hello'], 'r.json', toMissing],
    ['run', ['run', 'Hello'], '.cadre', toFolder],
    ['run', ['run', 'Hello'], '.cadre/journal.db', toMissing],
    ['run', ['run', 'Hello'], '.cadre/runs', toFolder],
    ['run', ['run', '--store', 'data/j.db', 'Hello'], 'data', toFolder],
    ['run', ['run', '--workspace', 'work', 'Hello'], 'work', toFolder],
    ['run', ['run', '--out', 'reports', 'Hello'], 'reports', toFolder],
    ['chat', ['chat'], '.cadre/journal.db', toFile],
    ['serve', ['serve', '--port', '0'], '.cadre', toHome],
    ['dev', ['dev'], '.cadre', toHome],
    ['mcp', ['mcp'], '.cadre', toHome],
    ['runs', ['runs'], '.cadre', toFolder],
    ['eval', ['eval', 's.eval.yaml', '--out', 'r.json'], 'r.json', toFile],
    ['eval', ['eval', 's.eval.yaml', '--out', 'out/r.html'], 'out', toFolder],
    ['eval', ['eval', 's.eval.yaml', '--record', 'rec.json'], 'rec.json', toMissing],
    ['prices', ['prices', '--update', '--force', '--profiles', 'agent_profiles'], 'agent_profiles/prices.yaml', toMissing],
  ] as readonly (readonly [string, readonly string[], string, (place: string, home: string) => Promise<void>])[]
).filter((_, at) => process.env['SWEEPS'] === 'all' || at % 3 === 0);

describe('what a project planted redirects no write of', () => {
  const suite = 'profiles: agent_profiles\ncases:\n  - name: hello\n    input: Hello\n    checks: [{ contains: Hello }]\n';
  const refusal =
    /is refused: .* is a symbolic link to .*Remove the link|leads to .*, outside .*|is not used: it is a link|is not opened: it is a symbolic link/;

  it.each(commands)('%s (%j, %s)', async (_command, words, place, how) => {
    const there = await plant({ ...starter, 's.eval.yaml': suite });
    await put(path.join(there.project, place), how, there.home);
    const { code, out, err } = await runThere(words, there);
    expect(out + err).not.toContain(homeSecret);
    expect(err).toMatch(refusal);
    expect(code).toBeGreaterThan(0);
  });

  it('export, record, test --from, import and prune', async () => {
    const there = await projectWithRun();
    for (const [words, place, how] of [
      [['export', 'last', '-o', 'run.html'], 'run.html', toFile],
      [['export', 'last', '-o', 'out/run.json'], 'out', toFolder],
      [['record', 'last', '-o', 'rec.json'], 'rec.json', toMissing],
      [['test', '--from', 'last', 'last', '--out', 'tests/a.test.yaml'], 'tests', toFolder],
      [['test', '--from', 'last', 'last', '--out', 'more/a.test.yaml'], 'more/__recordings__', toFolder],
      [['import', 'commonground', 'theirs', '-o', 'ours'], 'ours', toFolder],
      [['runs', 'prune', '--older-than', '0m', '--idle', '--workspaces', '--yes'], '.cadre/workspaces', toFolder],
    ] as const) {
      await mkdir(path.join(there.project, 'theirs'), { recursive: true });
      await put(path.join(there.project, place), how, there.home);
      const { code, err } = await runThere(words, there);
      expect([words[0], code, err]).toEqual([
        words[0],
        expect.any(Number),
        expect.stringMatching(/is a symbolic link to|leads to/),
      ]);
      expect(code).toBeGreaterThan(0);
    }
    expect((await lstat(path.join(there.project, 'run.html'))).isSymbolicLink()).toBe(true);
  });

  it('the journal: neither it nor what SQLite keeps beside it is a link, a hard link or a pipe', async () => {
    const there = await projectWithRun();
    const journal = path.join(there.project, '.cadre/journal.db');
    for (const side of ['-wal', '-shm', '-journal'])
      for (const kind of ['a link to a file', 'a hard link', 'a pipe']) {
        await put(`${journal}${side}`, plantedFiles[kind] ?? never, there.home);
        const { code, err } = await runThere(['run', 'Hello again'], there);
        expect([side, kind, code, err]).toEqual([side, kind, 2, expect.stringContaining(`journal.db${side}" is not opened: it`)]);
        await put(`${journal}${side}`, async () => undefined, there.home);
      }
  });

  it('cadre dev, which keeps the schemas fresh, tells that they lie behind a link', async () => {
    const there = await plant(starter);
    expect((await runThere(['schema', '--out', 'kept'], there)).code).toBe(0);
    await mkdir(path.join(there.home, 'schemas'));
    const own = await readFile(path.join(there.project, 'kept/profile.schema.json'), 'utf8');
    await writeFile(path.join(there.home, 'schemas/profile.schema.json'), own.replace('"title"', '"$comment": "mine", "title"'));
    const before = await there.homeNow();
    await put(
      path.join(there.project, 'schemas'),
      async (folder, home) => await toHome(folder, path.join(home, 'schemas')),
      there.home,
    );
    const dev = startForTest(['dev'], { cwd: there.project, env: { HOME: there.home } });
    await dev.until('Schemas for editors could not be written');
    dev.child.kill('SIGINT');
    await dev.finished;
    expect(await there.homeNow()).toBe(before);
  });
});
