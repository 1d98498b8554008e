/**
 * Loads code exactly as it was read.
 *
 * Owns: resolution of imports in such code. Does not own: the set of its files (`src/core/tool/code-files.ts`, `code-packages.ts`),
 * consent to run it (`src/cli/trust/`).
 *
 * 1. The text that runs is the one that was read, hashed and recorded, whatever the file contains now.
 * 2. A neighbouring file is imported only when it is among those that were read.
 * 3. A file of a package is loaded only while it has the bytes that were read, and those bytes run; so are the files it loads, also later.
 * 4. `cadre` and `cadre/…` mean the running Cadre, wherever it is installed; the folder needs no node_modules.
 * 5. All other code of the process loads as usual: the hooks affect only imports of this code.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isBuiltin, registerHooks, type ResolveFnOutput } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CodeFile, ToolsetCode } from '../../core/tool/code-files.ts';
import { CadreError } from '../../core/error.ts';
import { packagesOf } from './code-packages.ts';
import { describeProblem } from './describe-problem.ts';
import { watchEnd } from './watch-end.ts';
import { readJson } from '../../core/read-json.ts';

interface LoadedFile {
  readonly file: CodeFile;
  readonly code: ToolsetCode;
  readonly format: 'module' | 'module-typescript' | 'json';
}

// Not state of a run: the texts this process may import, by an address that contains their hash. Node's loader caches what it loaded, too.
const known = new Map<string, LoadedFile>();
// Not state of a run: SHA-256 of the files of packages that this process may import for such code.
const allowed = new Map<string, string>();
// Not state of a run: SHA-256 of those it has imported.
const loaded = new Map<string, string>();
// Not state of a run: hooks of the process are set once.
let areHooksSet = false;

/** Loads code and returns its exports. Fails with TOOL_INVALID, naming the file. */
export async function importCode(code: ToolsetCode): Promise<Readonly<Record<string, unknown>>> {
  await allowPackages(code);
  for (const file of code.files) known.set(addressOf(file, code), { file, code, format: formatOf(file.path) });
  setHooks();
  const entry = code.files.find((file) => file.path === code.entry);
  if (entry === undefined) throw new CadreError('TOOL_INVALID', `${code.entry} is missing`);
  using _end = watchEnd(`${code.entry} was loaded`);
  try {
    return (await import(addressOf(entry, code))) as Readonly<Record<string, unknown>>;
  } catch (thrown) {
    throw new CadreError('TOOL_INVALID', `${code.entry} cannot be loaded: ${problemOf(thrown, code)}`, { cause: thrown });
  }
}

/** Allows the packages of code as they were read. A file that this process loaded in another version stays loaded, so that is refused. */
async function allowPackages(code: ToolsetCode): Promise<void> {
  const { files } = await packagesOf(code);
  for (const [url, hash] of files)
    if ((loaded.get(url) ?? hash) !== hash)
      throw new CadreError(
        'TOOL_INVALID',
        `${url} changed since this process loaded it; start Cadre again to load it for ${code.entry}`,
      );
  for (const [url, hash] of files) allowed.set(url, hash);
}

/**
 * Returns the address of a file at its place on disk, so that packages are found and `import.meta.dirname` is right. Code read from a
 * journal has no place: its path is resolved from the working folder.
 */
function addressOf({ path: name, place }: CodeFile, { hash }: ToolsetCode): string {
  const url = pathToFileURL(place ?? path.resolve(name));
  url.search = `cadre=${hash}`;
  return url.href;
}

function formatOf(name: string): LoadedFile['format'] {
  if (/\.json$/i.test(name)) return 'json';
  return /\.m?ts$/i.test(name) ? 'module-typescript' : 'module';
}

function setHooks(): void {
  if (areHooksSet) return;
  areHooksSet = true;
  registerHooks({
    resolve: (specifier, context, next) => {
      const own = known.get(specifier);
      if (own !== undefined && context.parentURL?.includes('?cadre=') !== true)
        return { url: specifier, format: own.format, shortCircuit: true };
      const { parentURL } = context;
      const from = parentURL === undefined ? undefined : known.get(parentURL);
      if (parentURL === undefined) return next(specifier, context);
      // Read before the import: what a package loads is what was read with it.
      if (from === undefined)
        return isOfCode(parentURL) ? assertAllowed(next(specifier, context), specifier, parentURL) : next(specifier, context);
      if (specifier === 'cadre' || specifier.startsWith('cadre/')) return next(addressInCadre(specifier, from), context);
      const isFile = /^(?:\.{0,2}\/|file:)/.test(specifier);
      const found = isFile
        ? besideOf(specifier, parentURL, from)
        : assertAllowed(next(specifier, context), specifier, from.file.path);
      return { importAttributes: context.importAttributes, ...found };
    },
    load: (url, context, next) => {
      const found = known.get(url);
      if (found !== undefined) return { format: found.format, source: found.file.text, shortCircuit: true };
      const hash = allowed.get(url);
      return hash === undefined ? next(url, context) : { ...next(url, context), ...sourceAsRead(url, hash) };
    },
  });
}

/** True for files of packages, and for code in an address, which imports by whole addresses what its importer may not. */
function isOfCode(parentURL: string): boolean {
  return allowed.has(parentURL) || parentURL.startsWith('data:');
}

/** Checks that an import leads to Node's own modules, or to a file that was read with its package. */
function assertAllowed(found: ResolveFnOutput, specifier: string, from: string): ResolveFnOutput {
  const { url } = found;
  if (isBuiltin(url) || url.startsWith('data:') || allowed.has(url)) return found;
  throw new CadreError(
    'TOOL_INVALID',
    `${from} imports '${specifier}', which is not among the packages that were read (${url}): name the package by a plain string in the team's code, or in the dependencies of the package that imports it`,
  );
}

/** Returns the bytes of a file of a package, which must be those that were read; a native addon is loaded by its path. */
function sourceAsRead(url: string, hash: string): { readonly source?: Buffer } {
  const bytes = readFileSync(new URL(url));
  if (createHash('sha256').update(bytes).digest('hex') !== hash)
    throw new CadreError('TOOL_INVALID', `${url} changed since its package was read; start Cadre again, and review the change`);
  loaded.set(url, hash);
  return url.endsWith('.node') ? {} : { source: bytes };
}

function besideOf(specifier: string, parent: string, { file, code }: LoadedFile): ResolveFnOutput {
  const url = new URL(specifier, parent);
  url.search = `cadre=${code.hash}`;
  url.hash = '';
  const found = known.get(url.href);
  if (found !== undefined) return { url: url.href, format: found.format, shortCircuit: true };
  const why = /\.(?:m?[jt]s|json)$/i.test(specifier)
    ? "it must be in the team's folder, must not be a link, and must be named by a plain string"
    : 'name it with its ending (.ts, .mts, .js, .mjs or .json)';
  throw new CadreError('TOOL_INVALID', `${file.path} imports '${specifier}', which is not among the files that were read: ${why}`);
}

/** Returns the entry point that `cadre` or `cadre/…` means: of this package, or of its sources when those are running. */
function addressInCadre(specifier: string, { file }: LoadedFile): string {
  const root = new URL('../../../', import.meta.url);
  const entries = entryPoints(root);
  const target = entries.get(`.${specifier.slice('cadre'.length)}`);
  if (target === undefined) {
    const names = [...entries.keys()].map((name) => `cadre${name.slice(1)}`).join(', ');
    throw new CadreError('TOOL_INVALID', `${file.path} imports '${specifier}', which Cadre does not have; there are ${names}`);
  }
  const isSource = import.meta.url.endsWith('.ts');
  return new URL(isSource ? target.replace(/^\.\/dist\/(.*)\.js$/, './src/$1.ts') : target, root).href;
}

function entryPoints(root: URL): ReadonlyMap<string, string> {
  const { exports } = readJson(readFileSync(new URL('package.json', root), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  };
  return new Map(Object.entries(exports).flatMap(([name, to]) => (typeof to === 'string' ? [] : [[name, to.default] as const])));
}

function problemOf(thrown: unknown, { files, hash }: ToolsetCode): string {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  const [first = ''] = describeProblem(thrown).split('\n');
  if (code === 'ERR_MODULE_NOT_FOUND')
    return `${first.replace(/ imported from .*/, '')}; packages are found in a node_modules of the team's folder or above: install it there`;
  const line = thrown instanceof Error ? placeIn(thrown.stack ?? '', hash) : undefined;
  const file = line === undefined ? undefined : files.find(({ path: name, place }) => line.file.endsWith(place ?? name));
  return file === undefined || line === undefined ? first : `${first} (${file.path}:${line.line})`;
}

/** Returns the first line of this code that a stack names. */
function placeIn(stack: string, hash: string): { readonly file: string; readonly line: string } | undefined {
  const [, file, line] = new RegExp(`file://([^\\s()]*)\\?cadre=${hash}:(\\d+)`).exec(stack) ?? [];
  return file === undefined || line === undefined ? undefined : { file: decodeURI(file), line };
}
