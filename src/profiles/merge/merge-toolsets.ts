/**
 * Rules by which a team changes toolsets of the teams it includes.
 *
 * 1. A team's toolset with the same name as an included one is merged over it, `settings` key by key, deep.
 * 2. Lists and values replace, `key: null` removes, and a value with `_type` (a lookup) counts as one value.
 * 3. The kind cannot change: a change names the same kind, or none.
 * 4. Included teams with different toolsets of one name are an error, unless the including team declares that toolset: its version
 *    then applies alone.
 * 5. Each value keeps the place where it was written.
 */
import { readText, textNode, textItems } from '../compile/read-node.ts';
import { indexNames } from '../files/index-names.ts';
import type { ParsedFiles } from '../files/parse-profile-files.ts';
import type { Report } from '../report.ts';
import { quote } from '../wording.ts';
import { childOf, type MapEntry, type MapNode, type SourceNode, toPlain } from '../yaml/source-node.ts';
import { posix } from 'node:path';

/** Returns the declared toolsets by name, with the changes that including teams make. */
export function mergeToolsets({ toolset, team }: ParsedFiles['roots'], report: Report): ReadonlyMap<string, MapNode> {
  const order = teamOrder(team, toolset);
  const byName = Map.groupBy(toolset, (root) => readText(root, 'name') ?? '');
  const merged = [...byName].flatMap(([, roots]) => mergeNamed(roots, { order, teams: team, report }));
  return indexNames(merged, report, { key: 'name', what: 'toolset' });
}

interface Merging {
  readonly order: TeamOrder;
  readonly teams: readonly MapNode[];
  readonly report: Report;
}

function mergeNamed(roots: readonly MapNode[], merging: Merging): readonly MapNode[] {
  if (roots.length < 2 || readText(roots[0], 'name') === undefined) return roots;
  const { node, open = [] } = resolveNamed(roots, merging);
  if (node !== undefined) return [node];
  const [first, second] = open;
  if (first === undefined || second === undefined) return roots;
  const { order, teams, report } = merging;
  const owner = teams.find((team) => open.every((root) => order.includes(order.teamOf(team.at.file.path), teamOf(root, merging))));
  // No team includes both: they are two files of one name in the same load.
  if (owner === undefined || teamOf(first, merging) === teamOf(second, merging)) return open;
  const name = quote(readText(first, 'name') ?? '');
  const [one, other] = [first, second].map((root) => quote(teamName(teamOf(root, merging), teams)));
  report.error('DUPLICATE_NAME', {
    at: textNode(second, 'name')?.at ?? second.at,
    message: `the teams ${one} and ${other}, which are loaded together, declare the toolset ${name} differently; the first is in ${placeOf(first)}`,
    hint: `declare ${name} in the team ${quote(readText(owner, 'name') ?? '')}: that version then applies alone`,
  });
  return [first];
}

/** One merged node, or the nodes that conflict. */
interface Resolved {
  readonly node?: MapNode;
  readonly open?: readonly MapNode[];
}

function resolveNamed(roots: readonly MapNode[], merging: Merging): Resolved {
  const { order, report } = merging;
  const isBelow = (root: MapNode, above: MapNode): boolean => order.includes(teamOf(above, merging), teamOf(root, merging));
  const outer = roots.filter((root) => !roots.some((other) => isBelow(root, other)));
  const merged = outer.map((over) => {
    const below = roots.filter((root) => isBelow(root, over));
    const base = below.length === 0 ? undefined : resolveNamed(below, merging).node;
    return base === undefined ? over : mergeToolset(base, over, report);
  });
  const [first] = merged;
  // Teams in a circle include each other: none is above the others.
  if (first === undefined) return { open: roots };
  if (merged.length === 1) return { node: first };
  const isOfOthers = new Set(outer.map((root) => teamOf(root, merging))).size === outer.length;
  const areAlike = isOfOthers && new Set(merged.map((node) => JSON.stringify(toPlain(node)))).size === 1;
  return areAlike ? { node: first } : { open: merged };
}

function teamOf(root: MapNode, { order }: Merging): string {
  return order.teamOf(root.at.file.path);
}

function mergeToolset(base: MapNode, over: MapNode, report: Report): MapNode {
  const kind = readText(base, 'kind') ?? readText(base, 'name') ?? '';
  const other = textNode(over, 'kind');
  if (other !== undefined && other.value !== kind) {
    report.error('NOT_ALLOWED', {
      at: other.at,
      message: `the toolset ${quote(readText(over, 'name') ?? '')} is of the kind ${quote(kind)} in ${placeOf(base)}, which this team includes, and of the kind ${quote(other.value)} here`,
      hint: 'leave kind out to change its settings, or give this toolset another name',
    });
    return over;
  }
  return mergeMaps(base, over, { report, depth: 0 });
}

function mergeMaps(base: MapNode, over: MapNode, { report, depth }: { readonly report: Report; readonly depth: number }): MapNode {
  const entries = new Map<string, MapEntry>(base.entries);
  for (const [key, entry] of over.entries) {
    const inherited = base.entries.get(key)?.value;
    if (depth > 0 && isNull(entry.value)) {
      if (inherited === undefined)
        report.error('NOTHING_TO_REMOVE', {
          at: entry.keyAt,
          message: `${quote(key)} is not set in ${placeOf(base)}`,
          hint: 'leave it out',
        });
      entries.delete(key);
      continue;
    }
    const value =
      inherited?.kind === 'map' && entry.value.kind === 'map' && !isLookup(inherited) && !isLookup(entry.value)
        ? mergeMaps(inherited, entry.value, { report, depth: depth + 1 })
        : entry.value;
    entries.set(key, { keyAt: entry.keyAt, value });
  }
  return { kind: 'map', at: over.at, entries };
}

function isNull(node: SourceNode): boolean {
  return node.kind === 'scalar' && node.value === null;
}

function isLookup(node: SourceNode): boolean {
  return childOf(node, '_type') !== undefined;
}

function placeOf(node: MapNode): string {
  const { file, line } = node.at.file.refAt(node.at.start);
  return `${file}:${line}`;
}

/** Teams of files, and which team includes which, according to their `team.yaml` files. */
interface TeamOrder {
  /** Returns the team of a file, as the path of its folder. */
  teamOf(file: string): string;
  /** True when a team includes another, directly or through others. */
  includes(team: string, other: string): boolean;
}

/**
 * Determines the teams of files from the files alone, so that a recorded run finds the same teams: an included team is recognised
 * by the name of its folder. Files outside any folder with a `team.yaml` form one team per first path segment.
 */
function teamOrder(teams: readonly MapNode[], files: readonly SourceNode[]): TeamOrder {
  const named = new Map(teams.map((team) => [posix.dirname(team.at.file.path), team]));
  const teamOf = (file: string): string => {
    for (let folder = posix.dirname(file); ; folder = posix.dirname(folder)) {
      if (named.has(folder)) return folder;
      if (folder === '.' || folder === '/') return file.split('/')[0] ?? '';
    }
  };
  const all = new Set([...named.keys(), ...files.map(({ at }) => teamOf(at.file.path))]);
  const direct = new Map([...named].map(([folder, team]) => [folder, includedBy(folder, team, all)]));
  const includes = (team: string, other: string, seen = new Set<string>()): boolean => {
    if (seen.has(team)) return false;
    seen.add(team);
    return (direct.get(team) ?? []).some((each) => each === other || includes(each, other, seen));
  };
  return { teamOf, includes: (team, other) => team !== other && includes(team, other) };
}

/** Returns the known folders that a team includes. */
function includedBy(folder: string, team: MapNode, all: ReadonlySet<string>): readonly string[] {
  const specs = textItems(team, 'includes').map(({ value }) => value);
  const others = [...all].filter((other) => other !== folder);
  const found = specs.flatMap((spec) => {
    if (spec === '..') return [];
    const name = posix.basename(spec);
    const beside = posix.join(folder, spec);
    const exact = others.filter((other) => other === beside);
    return exact.length > 0 ? exact : others.filter((other) => posix.basename(other) === name);
  });
  if (!specs.includes('..')) return found;
  const above = posix.dirname(folder);
  if (above !== '.' && all.has(above)) return [...found, above];
  // A folder given by an absolute path, or as `.`, is labelled by its last part, and so is the folder above it.
  return [...found, ...others.filter((other) => !found.includes(other) && !other.startsWith(`${folder}/`))];
}

/** Returns a team's name for messages. */
function teamName(folder: string, teams: readonly MapNode[]): string {
  const team = teams.find(({ at }) => posix.dirname(at.file.path) === folder);
  return readText(team, 'name') ?? folder;
}
