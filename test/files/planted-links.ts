import { execFileSync } from 'node:child_process';
import { link, lstat, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from './temp-folder.ts';

/** A project from elsewhere, and what its links could lead to. */
export interface Planted {
  /** The folder a command works in. */
  readonly project: string;
  /** The user's home: no command may read, make or change anything in it. */
  readonly home: string;
  /** Returns all of the home as text, to be compared. */
  homeNow(): Promise<string>;
}

/** Text in the home that no command may show. */
export const homeSecret = 'PRIVATE-c0ffee';

/** Makes a project and a home, both with files, side by side in a fresh folder. */
export async function plant(files: Readonly<Record<string, string>> = {}): Promise<Planted> {
  const folder = await makeFolder({ 'home/.profile': `# ${homeSecret}\n`, 'home/kept/note.txt': `${homeSecret}\n` });
  const [project, home] = [path.join(folder, 'project'), path.join(folder, 'home')];
  await mkdir(project);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(project, name)), { recursive: true });
    await writeFile(path.join(project, name), text);
  }
  return { project, home, homeNow: async () => (await listed(home)).join('\n') };
}

/** How a project puts something else where a command would write a file; each takes the file's path and the home. */
export const plantedFiles: Readonly<Record<string, (file: string, home: string) => Promise<void>>> = {
  'a link to a file': async (file, home) => await symlink(path.join(home, '.profile'), file),
  'a link to a file that is not there yet': async (file, home) => await symlink(path.join(home, '.bash_login'), file),
  'a chain of links': async (file, home) => {
    const second = `.${path.basename(file)}`;
    await symlink(path.join(home, '.profile'), path.join(path.dirname(file), second));
    await symlink(second, file);
  },
  'a relative link': async (file, home) => await symlink(path.relative(path.dirname(file), path.join(home, '.profile')), file),
  'a hard link': async (file, home) => await link(path.join(home, '.profile'), file),
  'a pipe': async (file) => void execFileSync('mkfifo', [file]),
};

/** How a project puts something else where a command would make or use a folder. */
export const plantedFolders: Readonly<Record<string, (folder: string, home: string) => Promise<void>>> = {
  'a link to the home': async (folder, home) => await symlink(home, folder),
  'a link to a folder in the home': async (folder, home) => await symlink(path.join(home, 'kept'), folder),
  'a link to a folder that is not there yet': async (folder, home) => await symlink(path.join(home, '.config'), folder),
  'a chain of links to a folder': async (folder, home) => {
    const second = `.${path.basename(folder)}`;
    await symlink(home, path.join(path.dirname(folder), second));
    await symlink(second, folder);
  },
};

/** Plants something in place of what is there. */
export async function put(place: string, how: (place: string, home: string) => Promise<void>, home: string): Promise<void> {
  await rm(place, { recursive: true, force: true });
  await mkdir(path.dirname(place), { recursive: true });
  await how(place, home);
}

async function listed(folder: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const name of (await readdir(folder)).toSorted()) {
    const place = path.join(folder, name);
    const { mode, ino, mtimeMs } = await lstat(place);
    const isFile = (mode & 0o170000) === 0o100000;
    const isFolder = (mode & 0o170000) === 0o040000;
    const content = isFile ? await readFile(place, 'utf8') : isFolder ? '' : await readlink(place);
    lines.push(`${place} ${mode.toString(8)} ${ino} ${mtimeMs} ${JSON.stringify(content)}`);
    if (isFolder) lines.push(...(await listed(place)));
  }
  return lines;
}
