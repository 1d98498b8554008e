import { chownSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { askGit, type GitQuestion } from '../../src/files/guard/git/ask-git.ts';
import { GitKnowledge } from '../../src/files/guard/git/git-places.ts';
import { openWorkspace } from '../toolsets/workspace/call-workspace.ts';
import { beginTrial } from './git-situations.ts';
import { git, makeRepository, put, trapConfig } from './git-traps.ts';
import { makeFolder } from './temp-folder.ts';

/** Real git, with the questions it was asked. */
function counting(): { readonly knowledge: GitKnowledge; readonly asked: GitQuestion[] } {
  const asked: GitQuestion[] = [];
  const knowledge = new GitKnowledge(async (question) => {
    asked.push(question);
    return await askGit(question);
  });
  return { knowledge, asked };
}

async function repository(): Promise<string> {
  const folder = join(await makeFolder(), 'project');
  mkdirSync(folder);
  makeRepository(folder);
  return folder;
}

/** Waits until the disk's clock can tell what was written before from what is written next. */
async function untilSure(): Promise<void> {
  await pause(150);
}

describe('what git would run', () => {
  it('is asked once while nothing changes, and again when a file changes that decides it', async () => {
    const folder = await repository();
    git(folder, 'config', 'include.path', '../team/shared.cfg');
    const { knowledge, asked } = counting();
    await untilSure();
    const placesIn = async (): Promise<readonly string[]> =>
      (await knowledge.placesFor(folder, [folder])).places.map(({ place }) => place.slice(folder.length + 1));
    expect(await placesIn()).toContain('team/shared.cfg');
    const first = asked.length;
    for (let round = 0; round < 50; round += 1) await knowledge.placesFor(folder, [join(folder, 'src/deep')]);
    expect(asked.length).toBe(first);
    git(folder, 'config', 'core.hooksPath', 'checks');
    expect(await placesIn()).toContain('checks');
    expect(asked.length).toBeGreaterThan(first);
    await untilSure();
    await placesIn();
    const second = asked.length;
    // An included file that comes to be names more.
    put(folder, 'team/shared.cfg', '[core]\n\tattributesFile = team/attributes\n');
    expect(await placesIn()).toContain('team/attributes');
    expect(asked.length).toBeGreaterThan(second);
    await untilSure();
    await placesIn();
    const third = asked.length;
    await placesIn();
    expect(asked.length).toBe(third);
  });

  it('writes at the same time share one question', async () => {
    const folder = await repository();
    const { knowledge, asked } = counting();
    await untilSure();
    await knowledge.placesFor(folder, []);
    const once = asked.length;
    const other = counting();
    await Promise.all(Array.from({ length: 20 }, async () => await other.knowledge.placesFor(folder, [])));
    expect(other.asked.length).toBe(once);
  });

  it('is asked again after git failed, though no file has changed', async () => {
    const folder = await repository();
    let fails = true;
    const knowledge = new GitKnowledge(async (question) => (fails ? { why: 'git ended with SIGTERM' } : await askGit(question)));
    await untilSure();
    expect((await knowledge.placesFor(folder, [])).unknown).not.toEqual([]);
    fails = false;
    expect((await knowledge.placesFor(folder, [])).unknown).toEqual([]);
  });

  it('asking runs nothing of a hostile configuration', async () => {
    const folder = await repository();
    const marker = join(folder, '../pwned');
    put(
      folder,
      '.git/config',
      `${trapConfig(marker)}\tconfig = "!touch ${marker}"\n[trace2]\n\teventTarget = ${marker}\n[core]\n\thooksPath = checks\n`,
    );
    put(folder, '.git/config.worktree', trapConfig(marker));
    const { places, unknown } = await new GitKnowledge().placesFor(folder, [folder]);
    expect([existsSync(marker), unknown]).toEqual([false, []]);
    expect(places.map(({ place }) => place)).toContain(join(folder, 'checks'));
  });

  it.skipIf(process.getuid?.() !== 0)(
    'a repository of another user, which git refuses to use, is guarded all the same',
    async () => {
      const folder = await repository();
      git(folder, 'config', 'core.hooksPath', 'checks');
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) chownSync(join(folder, name), 12_345, 12_345);
      chownSync(folder, 12_345, 12_345);
      expect(() => git(folder, 'status')).toThrow(/dubious ownership/);
      const error = await openWorkspace(folder).fails('write_file', { path: 'checks/pre-commit', content: 'x' });
      expect(error.message).toContain('allow_writes: ["checks"]');
    },
  );

  it('where git cannot say it, every write is refused, with what git said', async () => {
    const folder = await repository();
    put(folder, '.git/config', '[core\nbroken');
    const error = await openWorkspace(folder).fails('write_file', { path: 'src/a.ts', content: 'x' });
    expect([error.code, error.message]).toEqual([
      'PATH_REFUSED',
      expect.stringMatching(/bad config line 1 in file .*git config --list/),
    ]);
    put(folder, '.git/config', '[core]\n\trepositoryformatversion = 0\n');
    expect(await openWorkspace(folder).text('write_file', { path: 'src/a.ts', content: 'x' })).toContain('Created');
  });

  it('without git, what it would say is not known, and .git itself is guarded', async () => {
    const folder = await repository();
    git(folder, 'config', 'core.hooksPath', 'checks');
    const { places, unknown } = await new GitKnowledge(async () => await Promise.resolve({})).placesFor(folder, [folder]);
    expect(places.filter(({ place }) => place.startsWith(`${folder}/`))).toEqual([]);
    expect(unknown).toEqual([]);
  });

  it('links on the way to a place are guarded like the place', async () => {
    const folder = await repository();
    mkdirSync(join(folder, 'real'));
    git(folder, 'config', 'core.hooksPath', 'link/checks');
    symlinkSync('real', join(folder, 'link'));
    const { places } = await new GitKnowledge().placesFor(folder, [folder]);
    expect(places.map(({ place }) => place)).toEqual(expect.arrayContaining([join(folder, 'link'), join(folder, 'real/checks')]));
  });

  it('other spellings of a place are refused, too', async () => {
    const folder = await repository();
    git(folder, 'config', 'core.hooksPath', 'checks');
    for (const path of ['CHECKS/pre-commit', 'checks./pre-commit', 'chec\u00adks/pre-commit'])
      expect((await openWorkspace(folder).fails('write_file', { path, content: 'x' })).code).toBe('PATH_REFUSED');
  });

  it('words of commands leave ordinary names alone', async () => {
    const { trial, end } = beginTrial(await makeFolder());
    try {
      put(
        trial.outside,
        'home/user.cfg',
        '[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tprocess = git-lfs filter-process\n[alias]\n\tup = !git fetch && git rebase origin/main\n\tlint = !npm run lint src/\n\tco = checkout\n[core]\n\teditor = code --wait\n',
      );
      const folder = await repository();
      const tools = openWorkspace(folder);
      for (const path of ['clean', 'checkout', 'lint/a.ts', 'src/a.ts', 'code', 'origin/a', 'fetch', 'npm/x'])
        expect(await tools.text('write_file', { path, content: 'x' })).toContain('Created');
    } finally {
      end();
    }
  });

  it('a variable of the user with a relative command is guarded', async () => {
    const folder = await repository();
    process.env['GIT_SSH_COMMAND'] = 'sh tools/ssh.sh';
    try {
      const error = await openWorkspace(folder).fails('write_file', { path: 'tools/ssh.sh', content: 'x' });
      expect(error.code).toBe('PATH_REFUSED');
    } finally {
      delete process.env['GIT_SSH_COMMAND'];
    }
  });
});
