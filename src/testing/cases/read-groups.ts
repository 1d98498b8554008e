import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Diagnostic } from '../../core/profile/profile.ts';
import { Report } from '../../profiles/report.ts';
import { compileProfileTests, compileTestFile, type GroupPlace } from './compile-group.ts';
import type { TeamTests } from './find-tests.ts';
import { readYaml, shownPath } from './read-yaml.ts';
import type { TestGroup } from './test-case.ts';

/** Groups of cases, and the problems of files. */
export interface GroupsRead {
  readonly groups: readonly TestGroup[];
  readonly problems: readonly Diagnostic[];
}

/** Reads the test files of a team, and the tests in its profiles. */
export async function readGroups({ testFiles, profileFiles }: Pick<TeamTests, 'testFiles' | 'profileFiles'>): Promise<GroupsRead> {
  const groups: TestGroup[] = [];
  const problems: Diagnostic[] = [];
  for (const file of [...testFiles, ...profileFiles]) {
    const isOfProfile = profileFiles.includes(file);
    const text = await readFile(file, 'utf8');
    // Most profiles have no tests, and are read when they are loaded.
    if (isOfProfile && !/^["']?tests["']?\s*:/m.test(text)) continue;
    const read = readGroup(placeOf(file), text, isOfProfile);
    if (read.group !== undefined) groups.push(read.group);
    problems.push(...read.problems);
  }
  return { groups, problems };
}

/** Reads the cases of one file from its text. */
export function readGroup(
  place: GroupPlace,
  text: string,
  isOfProfile = false,
): { readonly group?: TestGroup; readonly problems: readonly Diagnostic[] } {
  const report = new Report();
  const root = readYaml(place.file, text, 'a test file', report);
  // What is wrong with a profile is said when it is loaded.
  if (root === undefined && isOfProfile) return { problems: [] };
  const compile = isOfProfile ? compileProfileTests : compileTestFile;
  const group = root === undefined ? undefined : compile(root, place, report);
  const problems = report.diagnostics;
  return group === undefined || report.hasErrors ? { problems } : { group, problems };
}

function placeOf(file: string): GroupPlace {
  return {
    file: shownPath(file),
    folder: path.dirname(file),
    stem: path.basename(file).replace(/(?:\.test)?\.ya?ml$/i, ''),
  };
}
