import { link, lstat, mkdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { checkOutput, readOutput, removeOutput, writeOutput } from '../../src/files/output-file.ts';
import { plant, plantedFiles, plantedFolders, put } from './planted-links.ts';
import { makeFolder } from './temp-folder.ts';

const byUser = { namedBy: 'user' } as const;
const byProject = { namedBy: 'project' } as const;

describe('what a command writes into a project', () => {
  const refusal = { code: 'PATH_REFUSED' };

  it.each(Object.entries(plantedFiles).filter(([kind]) => kind !== 'a hard link'))('refuses %s', async (_kind, how) => {
    const { project, home, homeNow } = await plant({ '.git/HEAD': 'ref: refs/heads/main\n' });
    const before = await homeNow();
    const file = path.join(project, 'reports', 'r.json');
    await put(file, how, home);
    for (const options of [byUser, byProject]) {
      await expect(writeOutput(file, 'new', options)).rejects.toMatchObject(refusal);
      await expect(checkOutput(file, options)).rejects.toMatchObject(refusal);
    }
    await expect(readOutput(file, 1000)).rejects.toMatchObject(refusal);
    expect(await homeNow()).toBe(before);
  });

  it('replaces a hard link, so that its other name keeps what it had', async () => {
    const { project, home, homeNow } = await plant();
    const before = await homeNow();
    const file = path.join(project, 'r.json');
    await link(path.join(home, '.profile'), file);
    await writeOutput(file, 'new', byUser);
    expect(await readFile(file, 'utf8')).toBe('new');
    expect(await homeNow()).toBe(before);
  });

  it.each(Object.entries(plantedFolders))('refuses %s on the way, however deep', async (_kind, how) => {
    const { project, home, homeNow } = await plant({ '.git/HEAD': 'ref: refs/heads/main\n' });
    const before = await homeNow();
    await put(path.join(project, 'a', 'b'), how, home);
    for (const file of ['a/b/r.json', 'a/b/c/d/r.json'])
      await expect(writeOutput(path.join(project, file), 'new', byUser)).rejects.toMatchObject(refusal);
    await expect(removeOutput(path.join(project, 'a/b/note.txt'), byUser)).rejects.toMatchObject(refusal);
    expect(await homeNow()).toBe(before);
  });

  it('says where the link leads and what to do', async () => {
    const { project, home } = await plant({ '.git/HEAD': '' });
    await symlink(home, path.join(project, 'out'));
    await expect(writeOutput(path.join(project, 'out/r.json'), '', byUser)).rejects.toThrow(
      `"${path.join(project, 'out')}" is a symbolic link to "${home}", and Cadre neither reads nor writes through links that a project ` +
        'may have brought along. Remove the link, or name the place it leads to.',
    );
  });

  it('follows links to other folders of the same project, but to no other file', async () => {
    const { project } = await plant({ '.git/HEAD': '', 'var/kept.txt': 'kept' });
    await symlink('var', path.join(project, 'out'));
    await symlink('var/kept.txt', path.join(project, 'r.txt'));
    await writeOutput(path.join(project, 'out/r.json'), 'new', byProject);
    expect(await readFile(path.join(project, 'var/r.json'), 'utf8')).toBe('new');
    await expect(writeOutput(path.join(project, 'r.txt'), 'new', byUser)).rejects.toMatchObject(refusal);
    expect(await readFile(path.join(project, 'var/kept.txt'), 'utf8')).toBe('kept');
  });

  it('refuses files that make other programs run something, unless the user names them', async () => {
    const { project } = await plant();
    const options = { ...byProject, projects: [project] };
    for (const file of ['.git/hooks/pre-commit', '.vscode/tasks.json', '.envrc', 'agent_profiles/.vscode/x.txt'])
      await expect(writeOutput(path.join(project, file), '', options)).rejects.toThrow(/is protected, since .* Write another file/);
    await writeOutput(path.join(project, '.git/hooks/pre-commit'), 'mine', byUser);
    expect(await readFile(path.join(project, '.git/hooks/pre-commit'), 'utf8')).toBe('mine');
    for (const file of ['.cadre/runs/r.json', 'agent_profiles/prices.yaml'])
      await writeOutput(path.join(project, file), 'own', options);
  });

  it('removes a link itself, and nothing behind it', async () => {
    const { project, home, homeNow } = await plant({ '.git/HEAD': '' });
    const before = await homeNow();
    await symlink(path.join(home, '.profile'), path.join(project, 'r.json'));
    expect(await removeOutput(path.join(project, 'r.json'), byUser)).toBe(true);
    expect(await removeOutput(path.join(project, 'r.json'), byUser)).toBe(false);
    expect(await homeNow()).toBe(before);
  });
});

describe('what is a project, and what is the user’s', () => {
  it('follows links outside of projects, also at the named path itself', async () => {
    const folder = await makeFolder({ 'disk/kept.json': 'old' });
    await symlink('disk', path.join(folder, 'big'));
    await symlink('disk/kept.json', path.join(folder, 'latest.json'));
    await writeOutput(path.join(folder, 'big/new.json'), 'new', byUser);
    await writeOutput(path.join(folder, 'latest.json'), 'newest', byUser);
    expect(await readFile(path.join(folder, 'disk/new.json'), 'utf8')).toBe('new');
    expect(await readFile(path.join(folder, 'disk/kept.json'), 'utf8')).toBe('newest');
    expect(await readlink(path.join(folder, 'latest.json'))).toBe('disk/kept.json');
  });

  it.each(['.git', '.cadre', 'agent_profiles'])(
    'a folder that holds %s is a project, wherever the command runs',
    async (marker) => {
      const folder = await makeFolder();
      await mkdir(path.join(folder, 'clone', marker), { recursive: true });
      await mkdir(path.join(folder, 'home'));
      await symlink('../home', path.join(folder, 'clone/out'));
      await symlink('clone', path.join(folder, 'mine'));
      for (const way of ['clone', 'mine'])
        await expect(writeOutput(path.join(folder, way, 'out/r.json'), '', byUser)).rejects.toMatchObject({ code: 'PATH_REFUSED' });
      await writeOutput(path.join(folder, 'mine/r.json'), 'new', byUser);
      expect(await readFile(path.join(folder, 'clone/r.json'), 'utf8')).toBe('new');
    },
  );

  describe('in the working folder', () => {
    const home = process.cwd();
    afterEach(() => process.chdir(home));

    it('no link leads out, whatever the folder holds', async () => {
      const folder = await makeFolder();
      for (const name of ['project', 'home']) await mkdir(path.join(folder, name));
      process.chdir(path.join(folder, 'project'));
      await symlink('../home', 'out');
      for (const named of ['out/r.json', path.resolve('out/r.json')])
        await expect(writeOutput(named, '', byUser)).rejects.toThrow(
          /The path "out\/r.json" is refused: "out" is a symbolic link to/,
        );
      await writeOutput('../home/r.json', 'named', byUser);
      expect(await readFile('../home/r.json', 'utf8')).toBe('named');
    });
  });

  it('keeps the permissions of a file, or sets those it is to have', async () => {
    const folder = await makeFolder();
    const file = path.join(folder, 'r.json');
    await writeFile(file, '', { mode: 0o640 });
    await writeOutput(file, '', byUser);
    expect((await lstat(file)).mode & 0o777).toBe(0o640);
    await writeOutput(file, '', { ...byUser, mode: 0o600 });
    expect((await lstat(file)).mode & 0o777).toBe(0o600);
    await writeOutput(path.join(folder, 'new/r.json'), '', { ...byUser, folderMode: 0o700 });
    expect((await lstat(path.join(folder, 'new'))).mode & 0o777).toBe(0o700);
  });

  it('never writes to a device or a folder of the system', async () => {
    for (const file of ['/dev/null', '/proc/self/mem', '/dev/new.json'])
      await expect(writeOutput(file, '', byUser)).rejects.toMatchObject({ code: 'PATH_REFUSED' });
    expect((await lstat('/dev/null')).isCharacterDevice()).toBe(true);
  });
});
