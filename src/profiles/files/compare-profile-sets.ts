import type { ProfileSet } from '../../core/profile/profile.ts';
import { quote } from '../wording.ts';

/**
 * Lists the differences between two profile sets, one line each, such as `profile 'Root' changed (instructions, limits)`; empty
 * when there are none.
 */
export function compareProfileSets(before: ProfileSet, after: ProfileSet): readonly string[] {
  return [
    ...compareNamed('profile', plainProfiles(before), plainProfiles(after)),
    ...compareNamed('LLM config', before.llmConfigs, after.llmConfigs),
    ...compareNamed('handover protocol', before.protocols, after.protocols),
  ];
}

function plainProfiles(set: ProfileSet): ReadonlyMap<string, object> {
  return new Map([...set.profiles].map(([name, { resolved }]) => [name, resolved]));
}

function compareNamed(what: string, before: ReadonlyMap<string, object>, after: ReadonlyMap<string, object>): readonly string[] {
  const lines: string[] = [];
  for (const [name, old] of before) {
    const now = after.get(name);
    if (now === undefined) lines.push(`${what} ${quote(name)} is gone`);
    else {
      const keys = changedKeys(old, now);
      if (keys.length > 0) lines.push(`${what} ${quote(name)} changed (${keys.join(', ')})`);
    }
  }
  for (const name of after.keys()) if (!before.has(name)) lines.push(`${what} ${quote(name)} is new`);
  return lines;
}

/** Returns the top-level keys whose values differ, ignoring source positions. */
function changedKeys(before: object, after: object): readonly string[] {
  const old = new Map(Object.entries(before));
  const now = new Map(Object.entries(after));
  return [...new Set([...old.keys(), ...now.keys()])].filter(
    (key) => key !== 'source' && textOf(old.get(key)) !== textOf(now.get(key)),
  );
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => (key === 'source' || key === 'at' ? undefined : inner)) ?? '';
}
