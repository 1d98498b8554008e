import path from 'node:path';
import type { Diagnostic } from '../../core/profile/profile.ts';
import { readProjectText } from '../../files/output-file.ts';
import { Report } from '../../profiles/report.ts';
import type { TeamTests } from './find-tests.ts';
import { readYaml, shownPath } from './read-yaml.ts';
import type { TestGroup, CaseBody, DeclaredTool, PlaceOf, TestCase } from './test-case.ts';
import type { JsonObject } from '../../core/json.ts';
import { validateShape } from '../../profiles/schema/validate-shape.ts';
import { childOf, type ListNode, type MapNode, nodeAt, type SourceNode, toPlainObject } from '../../profiles/yaml/source-node.ts';
import { checkCase } from './check-case.ts';

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
    const text = await readProjectText(file);
    // Most profiles have no tests, and are read when they are loaded.
    if (isOfProfile && !/^["']?tests["']?\s*:/m.test(text)) continue;
    const read = readGroup(placeOf(file), text, isOfProfile);
    if (read.group !== undefined) groups.push(read.group);
    problems.push(...read.problems);
  }
  return { groups, problems };
}

/** Reads the cases of one file from its text. */
function readGroup(
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

/** Where a group of cases was read. */
type GroupPlace = Pick<TestGroup, 'file' | 'folder' | 'stem'>;

/** Most turns of a run in a test, unless the file says otherwise. */
const defaultTurns = 100;

/** Compiles a test file; undefined when the report has its problems. */
function compileTestFile(root: SourceNode, place: GroupPlace, report: Report): TestGroup | undefined {
  if (!validateShape('test', root, report) || report.hasErrors) return undefined;
  const list = childOf(root, 'cases');
  if (list?.kind !== 'list') return undefined;
  if (list.items.length === 0)
    report.error('OUT_OF_RANGE', {
      at: list.at,
      message: 'the file has no cases',
      hint: 'a case needs name, expect, and given or run',
    });
  const plain = toPlainObject(root);
  const profiles = (plain['profiles'] ?? []) as readonly JsonObject[];
  return {
    ...place,
    profiles: profiles.map((profile, index) => ({
      path: `${place.stem}/profiles/${typeof profile['name'] === 'string' ? profile['name'] : index}.yaml`,
      text: JSON.stringify(profile),
    })),
    env: (plain['env'] ?? {}) as Readonly<Record<string, string>>,
    tools: (plain['tools'] ?? {}) as unknown as Readonly<Record<string, DeclaredTool>>,
    maxTurns: typeof plain['max_turns'] === 'number' ? plain['max_turns'] : defaultTurns,
    cases: compileCases(list, textAt(root, 'profile'), report),
  };
}

/** Compiles the `tests` of a profile; undefined when it has none. The profile's own shape is checked when profiles are loaded. */
function compileProfileTests(root: SourceNode, place: GroupPlace, report: Report): TestGroup | undefined {
  const list = childOf(root, 'tests');
  if (root.kind !== 'map' || list?.kind !== 'list' || list.items.length === 0) return undefined;
  if (!validateShape('profile', root, report) || report.hasErrors) return undefined;
  const cases = compileCases(list, textAt(root, 'name'), report);
  return { ...place, profiles: [], env: {}, tools: {}, maxTurns: defaultTurns, cases };
}

function compileCases(list: ListNode, profile: string | undefined, report: Report): readonly TestCase[] {
  const names = new Set<string>();
  return list.items.flatMap((node) => {
    if (node.kind !== 'map') return [];
    const body = toPlainObject(node) as unknown as CaseBody;
    if (names.has(body.name))
      report.error('DUPLICATE_NAME', { at: at(node, ['name']), message: `two cases of the file have the name '${body.name}'` });
    names.add(body.name);
    const named = body.profile ?? profile;
    checkCase(node, body, report);
    if (named === undefined)
      report.error('MISSING_KEY', {
        at: node.at,
        message: 'the case names no profile',
        hint: 'write `profile: NAME` in the case, or once at the top of the file',
      });
    return named === undefined ? [] : [{ body, profile: named, placeOf: placesIn(node) }];
  });
}

function placesIn(node: MapNode): PlaceOf {
  return (path) => {
    const place = at(node, path.map(String));
    return place.file.refAt(place.start);
  };
}

/** Returns the place of a value in a node, or of the last part of its path that exists. */
function at(node: SourceNode, path: readonly string[]): SourceNode['at'] {
  return nodeAt(node, path).at;
}

function textAt(node: SourceNode, key: string): string | undefined {
  const found = childOf(node, key);
  return found?.kind === 'scalar' && typeof found.value === 'string' ? found.value : undefined;
}
