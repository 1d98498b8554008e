import { readFile, lstat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { homeSecret, plant, plantedFiles, plantedFolders, put, type Planted } from '../files/planted-links.ts';
import { runCli, type Finished } from './cli-process.ts';

/** Runs a command in a project; nothing in the home may be made, changed or shown by it. */
async function runThere(words: readonly string[], { project, home, homeNow }: Planted): Promise<Finished> {
  const before = await homeNow();
  const finished = await runCli(words, { cwd: project, env: { HOME: home } });
  expect(await homeNow()).toBe(before);
  return finished;
}

const team = {
  'agent_profiles/profiles/Helper.yaml':
    'name: Helper\ntype: partner\ninstructions: You help.\nflow_decider: [{ id: done, action: { type: await_user_input } }]\n',
  'agent_profiles/Helper.test.yaml': `profile: Helper
cases:
  - name: Says it
    given: { inbox: [{ user: hello }] }
    expect: { prompt: { contains: You help., snapshot: true } }
  - name: Fails
    given: { inbox: [{ user: hello }] }
    expect: { prompt: { contains: no such words } }
`,
};

describe('cadre test writes and compares no snapshot through what a project planted (F72)', () => {
  const snapshot = 'agent_profiles/__snapshots__/Helper.says-it.txt';

  it.each(Object.entries(plantedFiles))('%s in place of the snapshot', async (kind, how) => {
    const there = await plant(team);
    await put(path.join(there.project, snapshot), how, there.home);
    for (const more of [[], ['--update']]) {
      const { code, out } = await runThere(['test', ...more], there);
      // A hard link is a file like any other, with another name elsewhere: it is replaced, and the other name keeps what it had.
      const refused = / The path "agent_profiles\/__snapshots__\/Helper.says-it.txt" is refused: it is a (symbolic link to|pipe)/;
      if (kind !== 'a hard link') {
        expect(out).toMatch(refused);
        expect(out).not.toContain(homeSecret);
      }
      expect(out).toContain('no such words');
      expect(code).toBe(1);
    }
  });

  it.each(Object.entries(plantedFolders))('%s in place of the folder', async (_kind, how) => {
    const there = await plant(team);
    await put(path.join(there.project, 'agent_profiles/__snapshots__'), how, there.home);
    for (const more of [[], ['--update']]) {
      const { code, out } = await runThere(['test', ...more], there);
      expect(out).toMatch(/ is refused: "agent_profiles\/__snapshots__" is a symbolic link to /);
      expect(code).toBe(1);
    }
  });

  it('writes it where nothing is planted', async () => {
    const there = await plant(team);
    await runThere(['test'], there);
    expect(await readFile(path.join(there.project, snapshot), 'utf8')).toContain('You help.');
    expect((await lstat(path.join(there.project, snapshot))).isFile()).toBe(true);
  });
});
