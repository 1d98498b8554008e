import { registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** The program a simulated process runs, with modules of its own. */
export type Program = typeof import('./parts.ts');

/** So many processes in a row share no module: what one keeps in a variable of a module is not there for the next. */
const graphCount = 3;

const root = `${pathToFileURL(path.resolve(import.meta.dirname, '../../..')).href}/`;
const programs: Program[] = [];

/**
 * Loads the program as often as processes shall have it for themselves. Within vitest, which has a loader of its own, all
 * processes share one.
 */
export async function loadPrograms(): Promise<void> {
  if (programs.length > 0) return;
  if (process.env['VITEST'] !== undefined) {
    programs.push(await import('./parts.ts'));
    return;
  }
  const hooks = keepApart();
  for (let graph = 0; graph < graphCount; graph++)
    programs.push((await import(`${new URL('parts.ts', import.meta.url).href}?process=${graph}`)) as Program);
  hooks.deregister();
}

/** The program of the n-th process of a run. */
export function programOf(process: number): Program {
  const program = programs[process % programs.length];
  if (program === undefined) throw new Error('loadPrograms comes first');
  return program;
}

/** What a module of a process imports from this project is the process's own, too; packages are shared. */
function keepApart(): { deregister(): void } {
  return registerHooks({
    resolve: (specifier, context, nextResolve) => {
      const resolved = nextResolve(specifier, context);
      const own = /\?process=\d+$/.exec(context.parentURL ?? '')?.[0];
      const isOurs = resolved.url.startsWith(root) && !resolved.url.includes('/node_modules/') && !resolved.url.includes('?');
      return own !== undefined && isOurs ? { ...resolved, url: `${resolved.url}${own}` } : resolved;
    },
  });
}
