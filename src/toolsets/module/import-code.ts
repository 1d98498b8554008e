/**
 * Loads code exactly as it was read.
 *
 * Owns: resolution of imports in such code. Does not own: the set of its files (`src/core/tool/code-files.ts`), consent to run it
 * (`src/cli/trust/`).
 *
 * 1. The text that runs is the one that was read, hashed and recorded, whatever the file contains now.
 * 2. A neighbouring file is imported only when it is among those that were read.
 * 3. `cadre` and `cadre/…` mean the running Cadre, wherever it is installed; the folder needs no node_modules.
 * 4. All other code of the process loads as usual: the hooks affect only imports of this code.
 */
import { readFileSync } from 'node:fs';
import { registerHooks, type ResolveFnOutput } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CodeFile, ToolsetCode } from '../../core/tool/code-files.ts';
import { CadreError } from '../../core/error.ts';
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
// Not state of a run: hooks of the process are set once.
let areHooksSet = false;

/** Loads code and returns its exports. Fails with TOOL_INVALID, naming the file. */
export async function importCode(code: ToolsetCode): Promise<Readonly<Record<string, unknown>>> {
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
      const from = context.parentURL === undefined ? undefined : known.get(context.parentURL);
      if (from === undefined || context.parentURL === undefined) return next(specifier, context);
      if (specifier === 'cadre' || specifier.startsWith('cadre/')) return next(addressInCadre(specifier, from), context);
      const isFile = /^(?:\.{0,2}\/|file:)/.test(specifier);
      const found = isFile ? besideOf(specifier, context.parentURL, from) : next(specifier, context);
      return { importAttributes: context.importAttributes, ...found };
    },
    load: (url, context, next) => {
      const found = known.get(url);
      return found === undefined ? next(url, context) : { format: found.format, source: found.file.text, shortCircuit: true };
    },
  });
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
