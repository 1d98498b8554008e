import { type JsonValue, isJsonObject } from '../../../core/json.ts';
import { isCredentialName, splitVariables, type Variable } from '../../../core/expression/variables.ts';
import { describeThrown } from '../../../core/error.ts';
import type { Report } from '../../report.ts';
import { quote } from '../../wording.ts';
import { childOf, type MapEntry, type MapNode, type Place, type ScalarNode, type SourceNode } from '../../yaml/source-node.ts';
import { findFile } from '../file-lookup.ts';
import { readFlag, readText, textNode } from '../read-node.ts';
import { readJson } from '../../../core/read-json.ts';

/** Sources of looked-up values. */
export interface ValueSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Loaded JSON files, by path. */
  readonly jsonFiles: ReadonlyMap<string, string>;
  /** Called with the path of each JSON file that is used. */
  readonly onUsed: (path: string) => void;
  readonly report: Report;
}

/** Tree with its looked-up values filled in, and the required variables that are not set. */
export interface LookedUp {
  readonly node: MapNode;
  readonly missing: readonly string[];
}

/** Replaces every `_type: from_env` and `_type: json_from_file` in a tree. Values that are not set are left out. */
export function lookUpValues(root: MapNode, sources: ValueSources): LookedUp {
  const missing = new Set<string>();
  const resolve = (node: SourceNode): SourceNode | undefined => {
    if (node.kind === 'scalar') return withVariables(node, sources, missing);
    if (node.kind === 'list') return { ...node, items: node.items.map(resolve).filter((item) => item !== undefined) };
    switch (readText(node, '_type') ?? '') {
      case 'from_env':
        return fromEnvironment(node, sources, missing);
      case 'json_from_file':
        return fromFile(node, sources);
      default:
        return resolveMap(node);
    }
  };
  const resolveMap = (node: MapNode): MapNode => {
    const entries = new Map<string, MapEntry>();
    for (const [key, entry] of node.entries) {
      // The API key is not looked up: only the name of its variable is kept.
      const value = key === 'api_key' ? entry.value : resolve(entry.value);
      if (value !== undefined) entries.set(key, { keyAt: entry.keyAt, value });
    }
    return { ...node, entries };
  };
  return { node: resolveMap(root), missing: [...missing] };
}

function fromEnvironment(node: MapNode, sources: ValueSources, missing: Set<string>): SourceNode | undefined {
  const name = readText(node, 'var');
  if (name === undefined) return undefined;
  const set = Object.hasOwn(sources.env, name) ? sources.env[name] : undefined;
  if (set !== undefined && set !== '')
    return { kind: 'scalar', at: node.at, value: coerce(set), style: 'plain', written: set, variable: name };
  const fallback = childOf(node, 'default');
  if (fallback !== undefined) return fallback.kind === 'scalar' && fallback.value === null ? undefined : fallback;
  if (readFlag(node, 'required') === true) missing.add(name);
  return undefined;
}

/**
 * Fills in `${NAME:-default}` parts from the environment; keeps the pieces in `variables`, since a run's request may override
 * them.
 */
function withVariables(node: ScalarNode, sources: ValueSources, missing: Set<string>): ScalarNode | undefined {
  if (typeof node.value !== 'string' || !node.value.includes('${')) return node;
  const pieces = splitVariables(node.value);
  const names = pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.name]));
  if (names.length === 0) return { ...node, value: pieces.join('') };
  const variables = pieces.map((piece) => (typeof piece === 'string' ? piece : inEnvironment(piece, sources.env)));
  const unset = variables.filter((piece) => typeof piece !== 'string' && piece.fallback === undefined);
  for (const piece of unset) if (typeof piece !== 'string') missing.add(piece.name);
  if (unset.length > 0) return undefined;
  const text = variables.map((piece) => (typeof piece === 'string' ? piece : (piece.fallback ?? ''))).join('');
  const set = names.filter((name) => (sources.env[name] ?? '') !== '');
  // One credential makes the whole text secret.
  const variable = set.find(isCredentialName) ?? set[0];
  const plain = { ...node, value: coerce(text), style: 'plain', written: text, variables } as const;
  return variable === undefined ? plain : { ...plain, variable };
}

/** Returns a variable whose default is the environment's value. */
function inEnvironment(variable: Variable, env: ValueSources['env']): Variable {
  const set = Object.hasOwn(env, variable.name) ? env[variable.name] : undefined;
  return set === undefined || set === '' ? variable : { ...variable, fallback: set };
}

/** Converts an environment text to the number, boolean or null it looks like. */
export function coerce(text: string): ScalarNode['value'] {
  switch (text.toLowerCase()) {
    case 'true':
      return true;
    case 'false':
      return false;
    case 'null':
      return null;
    default:
      return /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text)) ? Number(text) : text;
  }
}

function fromFile(node: MapNode, sources: ValueSources): SourceNode | undefined {
  const path = textNode(node, 'path');
  if (path === undefined) return undefined;
  const found = findFile(sources.jsonFiles, sources.report, { from: path.at, reference: path.value });
  if (found?.file === undefined) return undefined;
  sources.onUsed(found.path);
  try {
    const value: unknown = readJson(found.file);
    return toNode(value as JsonValue, node.at);
  } catch (thrown) {
    sources.report.error('BAD_REFERENCE', { at: path.at, message: `${quote(found.path)} is not JSON: ${describeThrown(thrown)}` });
    return undefined;
  }
}

/** Converts a value from another file to a node; all its parts have the same place. */
function toNode(value: JsonValue, at: Place): SourceNode {
  if (Array.isArray(value)) return { kind: 'list', at, items: (value as readonly JsonValue[]).map((item) => toNode(item, at)) };
  if (isJsonObject(value)) {
    const safe = Object.entries(value).filter(([key]) => key !== '__proto__' && key !== 'constructor' && key !== 'prototype');
    return { kind: 'map', at, entries: new Map(safe.map(([key, item]) => [key, { keyAt: at, value: toNode(item ?? null, at) }])) };
  }
  const scalar = value as string | number | boolean | null;
  return { kind: 'scalar', at, value: scalar, style: 'plain', written: String(scalar) };
}
