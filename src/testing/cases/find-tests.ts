import { existsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import { besideTests, isEvalFile, isTestFile } from '../../profiles/files/test-file-names.ts';

/** Test files of one team, and its profile files, which may have tests of their own. */
export interface TeamTests {
  /** Folder with the profiles. */
  readonly profiles: string;
  readonly testFiles: readonly string[];
  readonly profileFiles: readonly string[];
}

/** Where to look for tests. */
export interface TestPlaces {
  /** Test files, profile files, and folders. */
  readonly paths: readonly string[];
  /** The profiles of all of them; by default those of the team each file belongs to. */
  readonly profiles?: string | undefined;
  /** The profiles of files that belong to no team. */
  readonly usual: string;
}

const mostFiles = 5_000;

/**
 * Finds tests by team: a file belongs to the nearest folder above it that is a team, else to the usual profiles. Fails with OPTION_INVALID
 * for a path that does not exist.
 */
export async function findTests({ paths, profiles, usual }: TestPlaces): Promise<readonly TeamTests[]> {
  const found = new Set<string>();
  for (const each of paths) {
    const place = path.resolve(each);
    if (!existsSync(place))
      throw new CadreError(
        'OPTION_INVALID',
        `there is no file or folder '${each}'; name test files (*.test.yaml), profiles, or folders with them`,
      );
    if (statSync(place).isDirectory()) await addFolder(place, found);
    else if (isEvalFile(place)) throw new CadreError('OPTION_INVALID', `'${each}' is an eval suite: run it with cadre eval`);
    else if (/\.ya?ml$/i.test(place)) found.add(place);
    else throw new CadreError('OPTION_INVALID', `'${each}' is no test file: test files end in .test.yaml`);
  }
  const teams = Map.groupBy([...found].toSorted(), (file) => path.resolve(profiles ?? teamOf(file) ?? usual));
  return [...teams].map(([folder, files]) => ({
    profiles: folder,
    testFiles: files.filter(isTestFile),
    profileFiles: files.filter((file) => !isTestFile(file)),
  }));
}

async function addFolder(folder: string, found: Set<string>): Promise<void> {
  for (const entry of (await readdir(folder, { withFileTypes: true })).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules' || besideTests.has(entry.name)) continue;
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) await addFolder(place, found);
    else if (entry.isFile() && /\.ya?ml$/i.test(entry.name) && !isEvalFile(place)) found.add(place);
    if (found.size > mostFiles)
      throw new CadreError('OPTION_INVALID', `more than ${mostFiles} YAML files up to ${place}; name a smaller folder`);
  }
}

/** Returns the nearest folder above a file that is a team: it has a `team.yaml` or a folder `profiles`. */
function teamOf(file: string): string | undefined {
  const stop = path.resolve();
  for (let folder = path.dirname(file); folder !== stop && folder !== path.dirname(folder); folder = path.dirname(folder))
    if (existsSync(path.join(folder, 'team.yaml')) || existsSync(path.join(folder, 'profiles'))) return folder;
  return undefined;
}
