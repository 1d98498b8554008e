import type { ChildProcess, SpawnOptions, SpawnSyncReturns } from 'node:child_process';
import { registerHooks } from 'node:module';
import { searchProgram } from '../../files/programs/find-program.ts';
import { runAtOnce, startProcess } from '../../files/programs/start-process.ts';
import { sandboxPackage } from './sandbox-unavailable.ts';
import type { SandboxPackage } from './sandbox-runtime.ts';

/** Marks the instance of the package that is loaded here, apart from one that an application loads for itself. */
const mark = '?cadre';
const place = `/node_modules/${sandboxPackage}/`;
const programsUrl = 'cadre:programs';
/** Name under which the package's substitute for `node:child_process` finds its functions. */
const programsKey = 'cadre.programs';

/**
 * Loads the package that makes sandboxes, with another `node:child_process`: on its own, the package searches `which`, `npm`, a shell and
 * its helpers by PATH and starts them with the whole environment of this process. Here, all it starts is found by `findProgram` and gets
 * the fixed environment.
 *
 * @throws Error when the package cannot be loaded
 */
export async function loadGuardedPackage(): Promise<SandboxPackage> {
  Reflect.set(globalThis, Symbol.for(programsKey), programs);
  const guarded = new Set<string>();
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      if (context.parentURL?.endsWith(mark) !== true) return next(specifier, context);
      if (/^(?:node:)?child_process$/.test(specifier)) {
        guarded.add(context.parentURL);
        return { url: programsUrl, format: 'module', shortCircuit: true };
      }
      const found = next(specifier, context);
      return found.url.startsWith('file:') && found.url.includes(place) ? { ...found, url: `${found.url}${mark}` } : found;
    },
    load: (url, context, next) => {
      if (url !== programsUrl) return next(url, context);
      const source = `export const { ${Object.keys(programs).join(', ')} } = globalThis[Symbol.for('${programsKey}')];`;
      return { format: 'module', source, shortCircuit: true };
    },
  });
  try {
    const loaded = (await import(`${import.meta.resolve(sandboxPackage)}${mark}`)) as SandboxPackage;
    loadedGuarded ||= guarded.size > 0;
    if (!loadedGuarded) throw new Error('its programs could not be guarded');
    return loaded;
  } finally {
    hooks.deregister();
  }
}

// Not state of a run: true once the package was loaded with guarded programs; later imports return the same instance.
let loadedGuarded = false;

/** What the package gets as `node:child_process`. */
const programs = {
  spawn: (program: string, args: readonly string[] = [], { cwd, stdio, signal, timeout, argv0 }: SpawnOptions = {}): ChildProcess =>
    startProcess([program, ...args], { cwd, stdio, signal, timeout, argv0, windowsHide: true }),
  spawnSync,
  exec: (_command: string, _options: object, done: (problem: Error) => void): { readonly stdin: undefined } => {
    queueMicrotask(() => done(refusedSearch()));
    return { stdin: undefined };
  },
  execSync: (): never => {
    throw refusedSearch();
  },
};

/** Answers the search for a program; runs a program that was found and ends at once, such as `bwrap --version`. */
function spawnSync(
  program: string,
  args: readonly string[],
  { timeout, stdio }: SpawnOptions,
): Pick<SpawnSyncReturns<string>, 'status' | 'stdout'> {
  if (program === 'which') {
    const [name = ''] = args;
    const found = name.startsWith('/') ? name : searchProgram(name).found?.path;
    return found === undefined ? { status: 1, stdout: '' } : { status: 0, stdout: `${found}\n` };
  }
  return runAtOnce([program, ...args], { timeout, stdio });
}

function refusedSearch(): Error {
  return new Error('Cadre does not let the package search for programs');
}
