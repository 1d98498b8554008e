import path from 'node:path';
import { secondCopy } from '../../support/rebuild/second-copy.ts';

/** Program of a simulated process, with its own modules. */
export type Program = typeof import('./parts.ts');

/** So many processes in a row share no module: what one keeps in a variable of a module is not there for the next. */
const graphCount = 3;

const programs: Program[] = [];

/**
 * Loads one copy of the program for each process that gets its own. Within vitest, which uses its own loader, all processes
 * share one.
 */
export async function loadPrograms(): Promise<void> {
  if (programs.length > 0) return;
  if (process.env['VITEST'] !== undefined) {
    programs.push(await import('./parts.ts'));
    return;
  }
  for (let graph = 0; graph < graphCount; graph++)
    programs.push(await secondCopy<Program>(path.join(import.meta.dirname, 'parts.ts')));
}

/** The program of the n-th process of a run. */
export function programOf(process: number): Program {
  const program = programs[process % programs.length];
  if (program === undefined) throw new Error('loadPrograms comes first');
  return program;
}
