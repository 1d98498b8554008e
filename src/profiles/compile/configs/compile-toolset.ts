import { valueOfVariable } from '../../../core/expression/variables.ts';
import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../../../core/json.ts';
import type { KnownNames, KnownToolsetKind } from '../../../core/profile/known-names.ts';
import type { ToolsetConfig } from '../../../core/tool/toolset-config.ts';
import { moduleKind } from '../../files/read-code-files.ts';
import type { Report } from '../../report.ts';
import { schemaProblems } from '../../schema/validate-shape.ts';
import { nameHint, quote } from '../../wording.ts';
import { type MapNode, type ScalarNode, type SourceNode, toPlainObject } from '../../yaml/source-node.ts';
import { type CodeSources, compileToolsetCode } from '../compile-toolset-code.ts';
import { coerce, lookUpValues, type ValueSources } from './environment-values.ts';
import { mapNode, textNode } from '../read-node.ts';
import { checkName, refOf } from '../compile-context.ts';
import { originsOf } from '../resolved-origins.ts';
import { secretValues } from './secret-values.ts';

/** Values and names that a toolset file may refer to. */
export interface ToolsetContext {
  readonly report: Report;
  readonly values: ValueSources;
  /** Known kinds; undefined skips the checks. */
  readonly kinds: KnownNames['toolsetKinds'] | undefined;
  /** Names of profiles, and names of files that could not be read. */
  readonly profileNames: ReadonlySet<string>;
  readonly broken: ReadonlySet<string>;
  readonly code: CodeSources;
}

/** Compiles a toolset; environment values are looked up now. */
export function compileToolset(context: ToolsetContext, root: MapNode, name: string): ToolsetConfig {
  const { report, kinds, values } = context;
  const kindNode = textNode(root, 'kind') ?? textNode(root, 'name');
  const kind = kindNode?.value ?? name;
  const known = kinds?.get(kind);
  if (kinds !== undefined && known === undefined) {
    report.error('UNKNOWN_TOOLSET', {
      at: (kindNode ?? root).at,
      message: `there is no kind of toolset ${quote(kind)}`,
      hint: `write kind: … below the name; ${nameHint(kind, new Set(kinds.keys()), 'known kinds')}`,
    });
  }
  const empty: MapNode = { kind: 'map', at: root.at, entries: new Map() };
  const { node: read, missing } = lookUpValues(mapNode(root, 'settings') ?? empty, values);
  const node = withoutRequests(read, known?.settings);
  const texts =
    known?.settings === undefined ? new Set<SourceNode>() : checkSettings(report, root, { settings: node, schema: known.settings });
  checkProfiles(context, node, known?.settings);
  for (const variable of missing) {
    report.warning('BAD_ENVIRONMENT_VALUE', {
      at: root.at,
      message: `toolset ${quote(name)} needs the environment variable ${variable}, which is not set`,
      hint: 'agents run without its tools',
    });
  }
  const code = kind === moduleKind ? compileToolsetCode(context, root, kinds !== undefined) : undefined;
  const settingsFor = (request: JsonObject): JsonObject => plainSettings(node, texts, request) as JsonObject;
  return {
    name,
    kind,
    settings: settingsFor({}),
    ...(asksRequest(node) ? { settingsFor } : {}),
    secrets: secretValues(node),
    missing,
    ...(code === undefined ? {} : { code }),
    source: refOf(root),
    written: toPlainObject(root),
    origins: originsOf(root),
  };
}

/** Returns the tool names of a toolset: plain when it is named like its kind, otherwise prefixed with its name. */
export function toolsetToolNames(name: string, kind: string, known: KnownToolsetKind): readonly string[] {
  return name === kind ? known.tools : known.tools.map((tool) => `${name}_${tool}`);
}

/** Checks settings against their schema; returns the nodes whose environment values look like numbers but must stay text. */
function checkSettings(
  report: Report,
  root: MapNode,
  { settings, schema }: { readonly settings: MapNode; readonly schema: JsonSchema },
): ReadonlySet<SourceNode> {
  const texts = new Set<SourceNode>();
  const keyAt = root.entries.get('settings')?.keyAt ?? root.at;
  const wrapped: MapNode = { ...root, entries: new Map([['settings', { keyAt, value: settings }]]) };
  for (const { node, types, code, at, message, hint, rule } of schemaProblems(inSettings(schema), wrapped)) {
    if (node.kind !== 'scalar' || node.variable === undefined) report.error(code, { at, message, hint });
    else if (types?.includes('string') === true) texts.add(node);
    else {
      const what = `the environment variable ${quote(node.variable)} does not fit here: the value ${rule}`;
      report.error('BAD_ENVIRONMENT_VALUE', { at: node.at, message: what });
    }
  }
  return texts;
}

/** Checks that settings marked `x-names: [profiles]` in the schema name existing profiles. */
function checkProfiles(context: ToolsetContext, settings: MapNode, schema: JsonSchema | undefined): void {
  const { properties } = schema ?? {};
  if (!isJsonObject(properties)) return;
  for (const [key, property] of Object.entries(properties)) {
    const named = textNode(settings, key);
    if (named === undefined || !isJsonObject(property) || !namesProfiles(property)) continue;
    checkName(context, named, { known: context.profileNames, code: 'UNKNOWN_PROFILE', what: 'profile' });
  }
}

/** Fixes the environment's values of settings marked `x-request: false`, which no request may change. */
function withoutRequests(settings: MapNode, schema: JsonSchema | undefined): MapNode {
  const { properties } = schema ?? {};
  if (!isJsonObject(properties)) return settings;
  const fixed = (key: string): boolean => {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    return isJsonObject(property) && property['x-request'] === false;
  };
  const entries = [...settings.entries].map(
    ([key, entry]) => [key, fixed(key) ? { ...entry, value: asRead(entry.value) } : entry] as const,
  );
  return { ...settings, entries: new Map(entries) };
}

function asRead(node: SourceNode): SourceNode {
  switch (node.kind) {
    case 'scalar': {
      const { variables: _variables, ...rest } = node;
      return rest;
    }
    case 'list':
      return { ...node, items: node.items.map(asRead) };
    case 'map':
      return {
        ...node,
        entries: new Map([...node.entries].map(([key, entry]) => [key, { ...entry, value: asRead(entry.value) }])),
      };
  }
}

function plainSettings(node: SourceNode, texts: ReadonlySet<SourceNode>, request: JsonObject): JsonValue {
  switch (node.kind) {
    case 'scalar':
      return scalarSetting(node, texts.has(node), request);
    case 'list':
      return node.items.map((item) => plainSettings(item, texts, request));
    case 'map':
      return Object.fromEntries([...node.entries].map(([key, { value }]) => [key, plainSettings(value, texts, request)]));
  }
}

/** Returns a setting with the request's values filled in; a setting that is exactly one request value keeps that value's type. */
function scalarSetting(node: ScalarNode, isText: boolean, request: JsonObject): JsonValue {
  const { variables = [] } = node;
  const asked = variables.some((piece) => typeof piece !== 'string' && Object.hasOwn(request, piece.name));
  if (!asked) return isText ? node.written : node.value;
  const values = variables.map((piece) => (typeof piece === 'string' ? piece : valueOfVariable(piece, undefined, { request })));
  const [only] = values;
  if (values.length === 1 && typeof only !== 'string') return only as JsonValue;
  const text = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('');
  return isText || typeof node.value === 'string' ? text : coerce(text);
}

/** True when a request can change some of these settings. */
function asksRequest(node: SourceNode): boolean {
  switch (node.kind) {
    case 'scalar':
      return node.variables !== undefined;
    case 'list':
      return node.items.some(asksRequest);
    case 'map':
      return [...node.entries.values()].some(({ value }) => asksRequest(value));
  }
}

// Pure cache: keyed by a schema, which never changes.
const wrappers = new WeakMap<JsonSchema, JsonSchema>();

/** Wraps a schema so that messages name keys as in the file: `settings.command`. */
function inSettings(schema: JsonSchema): JsonSchema {
  const made = wrappers.get(schema) ?? { type: 'object', properties: { settings: schema } };
  wrappers.set(schema, made);
  return made;
}

function namesProfiles({ 'x-names': kinds }: JsonSchema): boolean {
  return Array.isArray(kinds) && kinds.includes('profiles');
}
