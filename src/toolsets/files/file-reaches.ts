import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { Reach } from '../../core/tool/toolset.ts';

/**
 * Describes, for a person who must agree, which otherwise protected files the settings of a toolset open to agents: auto-run files, files
 * with secrets, settings of programs, and profiles. Works for every kind of toolset.
 */
export function fileReaches(settings: JsonObject): readonly Reach[] {
  const allowed = globsIn(settings['allow_writes']);
  const guarded = globsIn(settings['protected']);
  const hidden = globsIn(settings['unreadable']);
  const lines = [
    ...(allowed === undefined || allowed.length === 0
      ? []
      : [`may write what makes other programs run something: ${allowed.join(', ')}`]),
    ...(guarded === undefined ? [] : [`may write profiles and .env files, but not: ${words(guarded)}`]),
    ...(hidden === undefined ? [] : [`may read files that hold secrets, but not: ${words(hidden)}`]),
  ];
  return lines.map((text) => ({ kind: 'file', text }));
}

function words(globs: readonly string[]): string {
  return globs.join(', ') || 'nothing is left out';
}

function globsIn(value: JsonValue | undefined): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
}
