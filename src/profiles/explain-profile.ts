import { CadreError } from '../core/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import type { ProfileSet } from '../core/profile/profile.ts';
import type { SourceRef } from '../core/profile/source-ref.ts';
import type { ToolsetConfig } from '../core/tool/toolset-config.ts';
import { nameHint, quote } from './wording.ts';

/** One value of a resolved profile and the place it was written. */
export interface ExplainedValue {
  /** `system_prompt_construction.system_prompt_segments[date].content` */
  readonly path: string;
  readonly value: JsonValue;
  /** `file:line` */
  readonly from: string;
  readonly source: SourceRef;
}

/** Returns every value of a profile after inheritance, in order, with its place. Throws `PROFILE_UNKNOWN`. */
export function explainProfile(set: ProfileSet, name: string): readonly ExplainedValue[] {
  const profile = set.profiles.get(name);
  if (profile === undefined)
    throw new CadreError(
      'PROFILE_UNKNOWN',
      `there is no profile ${quote(name)} (${nameHint(name, set.profiles.keys(), 'known profiles')})`,
    );
  return explained(profile.resolved, profile.origins);
}

/** Returns every value of a toolset as written, with its place: a team may change settings of toolsets it includes. */
export function explainToolset({ written = {}, origins = new Map() }: ToolsetConfig): {
  readonly resolved: JsonObject;
  readonly values: readonly ExplainedValue[];
} {
  return { resolved: written, values: explained(written, origins) };
}

function explained(resolved: JsonObject, origins: ReadonlyMap<string, SourceRef>): readonly ExplainedValue[] {
  const values = new Map<string, JsonValue>();
  collect(resolved, '', values);
  return [...origins].map(([path, source]) => ({
    path,
    value: values.get(path) ?? null,
    from: `${source.file}:${source.line}`,
    source,
  }));
}

function collect(value: JsonValue, path: string, values: Map<string, JsonValue>): void {
  values.set(path, value);
  if (Array.isArray(value)) {
    for (const [index, item] of (value as readonly JsonValue[]).entries()) {
      const id = isJsonObject(item) ? item['id'] : undefined;
      collect(item, `${path}[${typeof id === 'string' ? id : String(index)}]`, values);
    }
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [key, item] of Object.entries(value)) collect(item ?? null, path === '' ? key : `${path}.${key}`, values);
}
