import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** Names that shells, editors and other programs call by themselves, wherever they are installed. */
const called: ReadonlySet<string> = new Set(
  'node npm npx corepack yarn pnpm bun deno git sh bash zsh fish python python3 pip pip3 ruby perl php java cargo rustc go make docker ssh code sudo doas'.split(
    ' ',
  ),
);
const systemFolders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];
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
  if (called.has(name.toLowerCase()) || systemFolders.some((folder) => isThere(path.join(folder, name)))) return false;
  const packages = path.dirname(path.dirname(place));
  try {
    const target = lstatSync(place).isSymbolicLink() ? realpathSync(place) : shimTarget(place);
    return (
      target !== undefined && target.startsWith(`${storeOf(packages)}${path.sep}`) && !target.includes(`${path.sep}.bin${path.sep}`)
    );
  } catch {
    // A link that leads nowhere, or gone.
    return false;
  }
}

/** Returns a text that changes when an entry is replaced. */
export function markOfProgram(place: string): string {
  const found = lstatSync(place, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino}:${found.ctimeNs}`;
}

/** Returns the file that a script of pnpm or npm (on Windows) starts; undefined for other files. */
function shimTarget(place: string): string | undefined {
  const found = lstatSync(place);
  if (!found.isFile() || found.size > maxShimBytes) return undefined;
  const text = readFileSync(place, 'utf8');
  const named = /(?:\$basedir|%~dp0|%dp0%)[\\/]+((?:\.\.[\\/])+[^"\s]+)/.exec(text)?.[1];
  return named === undefined ? undefined : realpathSync(path.resolve(path.dirname(place), named.replaceAll('\\', '/')));
}

/** Returns the outermost `node_modules` around packages: pnpm keeps them in a store below it. */
function storeOf(packages: string): string {
  const parts = packages.split(path.sep);
  return realpathSync(parts.slice(0, parts.indexOf('node_modules') + 1).join(path.sep) || packages);
}

function isThere(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false }) !== undefined;
}
