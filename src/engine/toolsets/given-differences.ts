import type { JsonObject } from '../../core/json.ts';
import { stableJson } from '../../tools/stable-json.ts';
import { differingSettings, type GivenTools, type GivenToolset } from './given-tools.ts';

/** Lists how the tools that code gives now differ from those it gave when a run began, one phrase each; for people. */
export function givenDifferences(recorded: GivenTools, now: GivenTools): readonly string[] {
  return [
    ...byName('toolset', Object.entries(recorded.toolsets), Object.entries(now.toolsets), toolsetDifferences),
    ...byName('tool', recorded.tools.map(named), now.tools.map(named), toolDifferences),
    ...(stableJson(recorded.team) === stableJson(now.team)
      ? []
      : [`team was ${JSON.stringify(recorded.team)} and is ${JSON.stringify(now.team)}`]),
  ];
}

/** Lists how a toolset given by code differs; empty when that is unknown, since code created it without stating its settings. */
export function toolsetDifferences(recorded: GivenToolset, now: GivenToolset): readonly string[] {
  if (recorded.kind !== now.kind) return [`it was ${madeFrom(recorded)} when the run began, and is ${madeFrom(now)} here`];
  return recorded.settings === undefined || now.settings === undefined ? [] : differingSettings(recorded.settings, now.settings);
}

/** Fields that are reported elsewhere (the tools offered to an agent), or mean nothing to people. */
const untold: ReadonlySet<string> = new Set(['name', 'description', 'parameters', 'guide', 'fingerprint', 'contextContributions']);

/** Lists how two tools of one name differ, apart from the texts that agents read. */
export function toolDifferences(recorded: JsonObject, now: JsonObject): readonly string[] {
  const keys = [...new Set([...Object.keys(recorded), ...Object.keys(now)])].filter((key) => !untold.has(key));
  return keys
    .filter((key) => stableJson(recorded[key] ?? null) !== stableJson(now[key] ?? null))
    .map((key) => `${key} was ${JSON.stringify(recorded[key] ?? null)} and is ${JSON.stringify(now[key] ?? null)}`);
}

function byName<Given>(
  what: string,
  recorded: readonly (readonly [string, Given])[],
  now: readonly (readonly [string, Given])[],
  differencesOf: (recorded: Given, now: Given) => readonly string[],
): readonly string[] {
  const before = new Map(recorded);
  const after = new Map(now);
  const gone = [...before.keys()].filter((name) => !after.has(name)).map((name) => `${what} '${name}' is gone`);
  const come = [...after.keys()].filter((name) => !before.has(name)).map((name) => `${what} '${name}' is new`);
  const changed = [...after].flatMap(([name, given]) => {
    const old = before.get(name);
    return old === undefined ? [] : differencesOf(old, given).map((difference) => `${what} '${name}': ${difference}`);
  });
  return [...gone, ...come, ...changed];
}

function named(facts: JsonObject): readonly [string, JsonObject] {
  return [String(facts['name']), facts];
}

function madeFrom({ kind }: GivenToolset): string {
  return kind === undefined ? 'made by code' : `settings of the kind '${kind}'`;
}
