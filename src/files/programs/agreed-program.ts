import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import { assertFound, findProgram, keepProgram, mayRun, type FoundProgram, type SearchPlaces } from './find-program.ts';
import { codeInVariables, codeNamedBy } from './named-code.ts';
import { followTrail, trailProblem } from './program-place.ts';

/**
 * Finds the program that settings name. A plain name is searched where no agent can write. A path means exactly that file, wherever it
 * lies: a person agreed to it by its content (`programWords`), and it must stay the same.
 *
 * @throws CadreError `DEPENDENCY_MISSING` when there is none, or when it was replaced since this process first saw it
 */
export function settingsProgram(written: string, folder: string, places: SearchPlaces = { in: 'both' }): FoundProgram {
  if (!isPath(written)) return findProgram(written, places);
  const trail = followTrail(path.resolve(folder, written));
  if (trail === undefined)
    throw new CadreError(
      'DEPENDENCY_MISSING',
      `there is no program ${JSON.stringify(written)} (${path.resolve(folder, written)}).`,
    );
  if (!mayRun(trail.real))
    throw new CadreError('DEPENDENCY_MISSING', `${JSON.stringify(written)} may not be run; is it executable?`);
  if (places.usable?.(trail.path) === false)
    throw new CadreError(
      'DEPENDENCY_MISSING',
      `${trail.path} cannot be seen in the sandbox; name its folder in the setting \`read\`.`,
    );
  const program = keepProgram(path.basename(written), trail);
  assertFound(program.path);
  return program;
}

/** Command line that settings name, with the variables it gets. */
export interface NamedCommand {
  readonly argv: readonly [string, ...string[]];
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Returns what a person agrees to beyond a command line: the real path and content of a program that settings name by a path in a place
 * that an agent or a project can write, and of the files of code that its arguments and variables name. Empty when there are none. From
 * now on, these files must stay the same.
 */
export function programWords(command: NamedCommand): string {
  const words = filesToAgree(command).map((file) => `${file} SHA-256 ${hashOf(file)}`);
  return words.length === 0 ? '' : ` [${words.join(', ')}]`;
}

/**
 * Checks that the files of `programWords` are those that this process first saw.
 *
 * @throws CadreError `DEPENDENCY_MISSING` for a file that was replaced or written since
 */
export function assertAsAgreed(command: NamedCommand): void {
  filesToAgree(command);
}

/** Returns the real paths of files to agree to; refuses one that is not as it was first seen. */
function filesToAgree({ argv, folder, env = {} }: NamedCommand): readonly string[] {
  const [program, ...args] = argv;
  const named = isPath(program) ? [path.resolve(folder, program)] : [];
  const files = new Set([...named, ...codeNamedBy(args, folder, program), ...codeInVariables(env, folder)]);
  const real = [...files].flatMap((file) => {
    const trail = followTrail(file);
    if (trail === undefined || !isFile(trail.real) || trailProblem(trail) === undefined) return [];
    keepProgram(path.basename(file), trail);
    assertFound(trail.path);
    return [trail.real];
  });
  return [...new Set(real)];
}

function isPath(written: string): boolean {
  return written.includes('/') || written.includes(path.sep);
}

function isFile(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isFile() === true;
}

function hashOf(place: string): string {
  return createHash('sha256').update(readFileSync(place)).digest('hex');
}
