import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { redacted, type Secrets } from '../../core/secrets/secrets.ts';
import { secretSettings } from '../../profiles/compile/configs/secret-values.ts';
import { stableJson } from '../../tools/stable-json.ts';
import { readJson } from '../../core/read-json.ts';

/** A toolset given by code, in its recorded form. */
export interface GivenToolset {
  /** Its kind, when code gave settings: it can be created again. Absent when code created the toolset itself. */
  readonly kind?: string;
  /** Absent when code created the toolset without stating its settings. */
  readonly settings?: JsonObject;
  /** Paths of secret settings (`headers.Authorization`): their values are not recorded. */
  readonly secrets?: readonly string[];
}

/**
 * Tools that code gave an engine: recorded with each run, beside its profiles. Old journals lack the record: their runs use the tools of
 * the engine that resumes them.
 */
export interface GivenTools {
  /** The options of the built-in team tools. */
  readonly team: false | { readonly maxParallel?: number };
  /** The facts of each tool (`toolFacts`), in order. */
  readonly tools: readonly JsonObject[];
  readonly toolsets: Readonly<Record<string, GivenToolset>>;
}

/** Reads the recorded tools; a missing record means that code gave none. */
export function readGivenTools(text: string): GivenTools {
  const value: unknown = readJson(text);
  const { team, tools, toolsets } = isJsonObject(value) ? value : {};
  const named = isJsonObject(toolsets) ? toolsets : {};
  return {
    team: isJsonObject(team) ? (typeof team['maxParallel'] === 'number' ? { maxParallel: team['maxParallel'] } : {}) : false,
    tools: (Array.isArray(tools) ? (tools as readonly JsonValue[]) : []).filter(isJsonObject),
    toolsets: Object.fromEntries(Object.entries(named).map(([name, given]) => [name, readToolset(given)])),
  };
}

function readToolset(value: JsonValue | undefined): GivenToolset {
  const { kind, settings, secrets } = isJsonObject(value) ? value : {};
  return {
    ...(typeof kind === 'string' ? { kind } : {}),
    ...(isJsonObject(settings) ? { settings } : {}),
    ...(Array.isArray(secrets) ? { secrets: (secrets as readonly JsonValue[]).filter((path) => typeof path === 'string') } : {}),
  };
}

/** Returns settings in their recorded form. From now on, secrets among them are redacted everywhere. */
export function recordSettings(settings: JsonObject, secrets: Secrets): Pick<GivenToolset, 'settings' | 'secrets'> {
  const hidden = secretSettings(settings, (text) => secrets.text(text) !== text);
  for (const { value } of hidden) secrets.add(value);
  const paths = hidden.map(({ path }) => path.join('.'));
  const clean = withoutSecrets(settings, paths);
  return paths.length === 0 ? { settings: clean } : { settings: clean, secrets: paths };
}

/** Returns settings without the values at these paths. */
export function withoutSecrets(settings: JsonObject, paths: readonly string[]): JsonObject {
  const walk = (value: JsonValue | undefined, path: readonly string[]): JsonValue | undefined => {
    if (path.length > 0 && paths.includes(path.join('.'))) return value === undefined ? undefined : redacted;
    if (Array.isArray(value))
      return (value as readonly JsonValue[]).map((item, index) => walk(item, [...path, String(index)]) ?? null);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, [...path, key])]));
  };
  return paths.length === 0 ? settings : (walk(settings, []) as JsonObject);
}

/** Lists the differences between two sets of settings, one phrase each: `read_only is true on record, and false here`. */
export function differingSettings(
  recorded: JsonValue | undefined,
  now: JsonValue | undefined,
  path = 'settings',
): readonly string[] {
  if (stableJson(recorded ?? null) === stableJson(now ?? null)) return [];
  if (isJsonObject(recorded) && isJsonObject(now)) {
    const keys = new Set([...Object.keys(recorded), ...Object.keys(now)]);
    return [...keys].flatMap((key) => differingSettings(recorded[key], now[key], `${path}.${key}`));
  }
  return [`${path} is ${words(recorded)} on record, and ${words(now)} here`];
}

function words(value: JsonValue | undefined): string {
  return value === undefined ? 'not given' : JSON.stringify(value).slice(0, 200);
}
