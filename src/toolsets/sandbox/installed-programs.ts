import { existsSync, lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { systemProgramFolders } from '../../files/programs/find-program.ts';

/** Names that shells, editors and other programs call by themselves, wherever they are installed. */
const called: ReadonlySet<string> = new Set(
  'node npm npx corepack yarn pnpm bun deno git sh bash zsh fish python python3 pip pip3 ruby perl php java cargo rustc go make docker ssh code sudo doas'.split(
    ' ',
  ),
);
const maxShimBytes = 8_000;

/** True for the folder that package managers of Node fill with programs. A shell may have it in its PATH before all others. */
export function isBin(folders: readonly string[], name: string | undefined): boolean {
  return name === '.bin' && folders.at(-1) === 'node_modules';
}

/**
 * True when an entry of `node_modules/.bin` is one that an installer makes: it leads to a file of a package beside it, and does not take the
 * place of a program of the system. Such programs run when a person calls them, like the scripts of `package.json`.
 */
export function isInstalledProgram(place: string): boolean {
  const name = path.basename(place).replace(/\.(?:cmd|ps1|exe)$/i, '');
  if (called.has(name.toLowerCase()) || systemProgramFolders.some((folder) => isThere(path.join(folder, name)))) return false;
  try {
    const folder = realpathSync(path.dirname(place));
    const named = lstatSync(place).isSymbolicLink() ? readlinkSync(place) : shimTarget(place);
    if (named === undefined) return false;
    // A package may be a link to a folder of the workspace, so the target counts as it is named.
    const target = path.resolve(folder, named);
    return (
      target.startsWith(`${storeOf(folder)}${path.sep}`) && !target.includes(`${path.sep}.bin${path.sep}`) && existsSync(target)
    );
  } catch {
    // Gone meanwhile.
    return false;
  }
}

/** Returns a text that changes when an entry is replaced. */
export function markOfProgram(place: string): string {
  const found = lstatSync(place, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino}:${found.ctimeNs}`;
}

/** Returns the file that a script of pnpm or npm (on Windows) starts, relative to its folder; undefined for other files. */
function shimTarget(place: string): string | undefined {
  const found = lstatSync(place);
  if (!found.isFile() || found.size > maxShimBytes) return undefined;
  const text = readFileSync(place, 'utf8');
  const named = /(?:\$basedir|%~dp0|%dp0%)[\\/]+((?:\.\.[\\/])+[^"\s]+)/.exec(text)?.[1];
  return named?.replaceAll('\\', '/');
}

/** Returns the outermost `node_modules` around a folder: pnpm keeps packages in a store below it. */
function storeOf(folder: string): string {
  const parts = folder.split(path.sep);
  return parts.slice(0, parts.indexOf('node_modules') + 1).join(path.sep);
}

function isThere(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false }) !== undefined;
}
