import { posix } from 'node:path';
import { readText, textItems } from '../compile/read-node.ts';
import type { MapNode, SourceNode } from '../yaml/source-node.ts';

/** Teams of files, and which team includes which, according to their `team.yaml` files. */
export interface TeamOrder {
  /** Returns the team of a file, as the path of its folder. */
  teamOf(file: string): string;
  /** True when a team includes another, directly or through others. */
  includes(team: string, other: string): boolean;
}

/**
 * Determines the teams of files from the files alone, so that a recorded run finds the same teams: an included team is recognised
 * by the name of its folder. Files outside any folder with a `team.yaml` form one team per first path segment.
 */
export function teamOrder(teams: readonly MapNode[], files: readonly SourceNode[]): TeamOrder {
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
export function teamName(folder: string, teams: readonly MapNode[]): string {
  const team = teams.find(({ at }) => posix.dirname(at.file.path) === folder);
  return readText(team, 'name') ?? folder;
}
