import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { CadreError } from '../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { readJson } from '../../core/read-json.ts';
import { isCodeFile, type ToolsetCode } from '../../core/tool/code-files.ts';
import { lockedAt } from './locked-package.ts';

/** Installed package that code imports, with everything it needs. */
export interface CodePackage {
  readonly name: string;
  readonly version: string;
  /** Number of other packages that it needs, directly or not. */
  readonly needs: number;
  /** SHA-256 of every file of the package and of the packages it needs, and of what the lockfile says of them. */
  readonly hash: string;
}

/** Packages that code may load, as they were on disk when they were read. */
export interface CodePackages {
  readonly imported: readonly CodePackage[];
  /** SHA-256 of every file that may be loaded, by its `file:` URL. */
  readonly files: ReadonlyMap<string, string>;
}

/** Package as it is on disk. */
interface Installed {
  readonly name: string;
  readonly version: string;
  readonly root: string;
  readonly locked: string;
  /** Pairs of relative path and SHA-256, sorted. */
  readonly files: readonly (readonly [string, string])[];
  readonly dependencies: readonly string[];
}

/** Most files, and bytes, of all packages that one toolset may load. */
const maxFiles = 50_000;
const maxBytes = 1_000_000_000;
/** Folders that belong to no package. */
const otherFolders: ReadonlySet<string> = new Set(['node_modules', '.git', '.cadre']);
const filesAtOnce = 32;

// Not state of a run: what was read for code stays what is agreed to and imported.
const read = new WeakMap<ToolsetCode, Promise<CodePackages>>();

/**
 * Reads the packages that code imports, once for each loaded code: consent shows what this returns, and only this is imported later.
 * A package counts with every file in its folder, and with the packages that its package.json names. Fails with TOOL_INVALID when they
 * are too large.
 */
export async function packagesOf(code: ToolsetCode): Promise<CodePackages> {
  const known = read.get(code);
  if (known !== undefined) return await known;
  const reading = new PackageReader().read(code);
  read.set(code, reading);
  return await reading;
}

/** Reads packages, each folder once. */
class PackageReader {
  readonly #installed = new Map<string, Promise<Installed | undefined>>();
  #files = 0;
  #bytes = 0;

  async read(code: ToolsetCode): Promise<CodePackages> {
    const wanted = new Map<string, string>();
    for (const { path: name, text, place } of code.files) {
      if (!isCodeFile(name)) continue;
      const from = path.dirname(place ?? path.resolve(name));
      for (const each of packageImports(text)) {
        const root = await rootOf(each, from);
        if (root !== undefined) wanted.set(root, each);
      }
    }
    const imported: CodePackage[] = [];
    const files = new Map<string, string>();
    for (const [root, name] of wanted) {
      const all = await this.#withNeeds(root);
      for (const each of all) for (const [file, hash] of each.files) files.set(urlOf(each.root, file), hash);
      imported.push({ name, version: all[0]?.version ?? '', needs: all.length - 1, hash: hashOf(all) });
    }
    return { imported: imported.toSorted((a, b) => (a.name < b.name ? -1 : 1)), files };
  }

  /** Returns a package and all it needs, itself first. */
  async #withNeeds(root: string): Promise<readonly Installed[]> {
    const found = new Map<string, Installed>();
    const waiting = [root];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const place = next;
      if (found.has(place)) continue;
      let reading = this.#installed.get(place);
      if (reading === undefined) this.#installed.set(place, (reading = this.#readPackage(place)));
      const installed = await reading;
      if (installed === undefined) continue;
      found.set(place, installed);
      for (const name of installed.dependencies) {
        const needed = await rootOf(name, place);
        if (needed !== undefined) waiting.push(needed);
      }
    }
    return [...found.values()];
  }

  async #readPackage(root: string): Promise<Installed | undefined> {
    const names = await filesBelow(root);
    this.#files += names.length;
    const files: [string, string][] = [];
    for (let at = 0; at < names.length && this.#files <= maxFiles; at += filesAtOnce)
      files.push(...(await Promise.all(names.slice(at, at + filesAtOnce).map((name) => this.#readFile(root, name)))));
    if (this.#files > maxFiles || this.#bytes > maxBytes)
      throw new CadreError(
        'TOOL_INVALID',
        `the packages that code of a team may load have at most ${maxFiles} files and ${maxBytes / 1e6} MB; ${root} and what it needs are larger: import a smaller package`,
      );
    const facts = await packageFacts(root);
    return {
      name: typeof facts['name'] === 'string' ? facts['name'] : path.basename(root),
      version: typeof facts['version'] === 'string' ? facts['version'] : '',
      root,
      locked: await lockedAt(root),
      files,
      dependencies: ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((key) => {
        const named = facts[key];
        return isJsonObject(named) ? Object.keys(named) : [];
      }),
    };
  }

  async #readFile(root: string, name: string): Promise<[string, string]> {
    const bytes = await readFile(path.join(root, name));
    this.#bytes += bytes.length;
    return [name, createHash('sha256').update(bytes).digest('hex')];
  }
}

/** Returns the names of packages that code imports; an import that this does not find cannot be loaded. */
function packageImports(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [, , written = ''] of text.matchAll(/\b(?:from|import|require)\s*\(?\s*(['"`])([@\w][^'"`\n\\]{0,500})\1/g)) {
    const parts = written.split('/');
    const name = parts.slice(0, written.startsWith('@') ? 2 : 1).join('/');
    if (!isBuiltin(written) && name !== 'cadre' && !name.includes(':')) found.add(name);
  }
  return found;
}

/** Returns the real folder of a package as Node finds it from a folder; undefined when it is not installed. */
async function rootOf(name: string, from: string): Promise<string | undefined> {
  if (!/^(?:@[^/\\]+\/)?[^./\\][^/\\]*$/.test(name)) return undefined;
  for (let folder = from; ; folder = path.dirname(folder)) {
    if (path.basename(folder) !== 'node_modules') {
      const root = await realpath(path.join(folder, 'node_modules', name)).catch(() => undefined);
      if (root !== undefined) return root;
    }
    if (path.dirname(folder) === folder) return undefined;
  }
}

/** Lists the files of a package, sorted, with `/` between folders. Links below its folder are not part of it. */
async function filesBelow(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  const waiting = [''];
  for (let folder = waiting.pop(); folder !== undefined && found.length <= maxFiles; folder = waiting.pop())
    for (const entry of await readdir(path.join(root, folder), { withFileTypes: true })) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile()) found.push(name);
      else if (entry.isDirectory() && !otherFolders.has(entry.name)) waiting.push(name);
    }
  return found.toSorted();
}

async function packageFacts(root: string): Promise<JsonObject> {
  const file = path.join(root, 'package.json');
  const isFile = await lstat(file).then(
    (info) => info.isFile(),
    () => false,
  );
  if (!isFile) return {};
  try {
    const facts: unknown = readJson(await readFile(file, 'utf8'));
    return isJsonObject(facts) ? facts : {};
  } catch {
    // Node reports the damage when the package is imported.
    return {};
  }
}

function urlOf(root: string, file: string): string {
  return pathToFileURL(path.join(root, file)).href;
}

/** Hashes packages without their places: the same packages elsewhere are the same code. */
function hashOf(all: readonly Installed[]): string {
  const facts = all.map(({ name, version, locked, files }) => JSON.stringify([name, version, locked, files]));
  return createHash('sha256').update(JSON.stringify(facts.toSorted())).digest('hex');
}
