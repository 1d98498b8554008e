import { isCredentialName, splitVariables, type Variable } from '../../core/expression/variables.ts';
import { coerce } from '../compile/configs/environment-values.ts';
import { Report } from '../report.ts';
import { quote } from '../wording.ts';
import { type MapEntry, type MapNode, type ScalarNode, type SourceNode, childOf } from '../yaml/source-node.ts';
import { userModelVars } from '../../core/model/model-key.ts';
import type { ProfileFile } from '../../core/profile/profile.ts';
import { readText } from '../compile/read-node.ts';
import { parseProfileFiles } from './parse-profile-files.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Keys of a profile whose variables are expanded later: texts, built when they are used; conditions, which read `request`; and
 * schemas, which are data.
 */
const later: ReadonlySet<string> = new Set(
  `instructions content text_definitions payload args message error_message output value say answer fail title prompt goals notes description tests
   condition deliverables_schema output_schema parameters schema`.split(/\s+/),
);

/**
 * Expands the variables of a profile outside texts (numbers, names, booleans) from the environment or their defaults. A profile is
 * compiled once for all runs, so requests cannot change them.
 */
export function expandVariables(root: MapNode, environment: Environment, report: Report): MapNode {
  // An unset variable was reported and its key is left out, which avoids a second error.
  const expand = (node: SourceNode): SourceNode | undefined => {
    switch (node.kind) {
      case 'scalar':
        return expandScalar(node, environment, report);
      case 'list':
        return { ...node, items: node.items.map(expand).filter((item) => item !== undefined) };
      case 'map':
        return expandMap(node);
    }
  };
  const expandMap = (node: MapNode): MapNode => {
    const entries = [...node.entries].flatMap(([key, entry]): readonly [string, MapEntry][] => {
      const value = later.has(key) ? entry.value : expand(entry.value);
      return value === undefined ? [] : [[key, { ...entry, value }]];
    });
    return { ...node, entries: new Map(entries) };
  };
  return hasVariables(root) ? expandMap(root) : root;
}

function hasVariables(node: SourceNode): boolean {
  switch (node.kind) {
    case 'scalar':
      return typeof node.value === 'string' && node.value.includes('${');
    case 'list':
      return node.items.some(hasVariables);
    case 'map':
      return [...node.entries.values()].some(({ value }) => hasVariables(value));
  }
}

function expandScalar(node: ScalarNode, environment: Environment, report: Report): ScalarNode | undefined {
  if (typeof node.value !== 'string') return node;
  const pieces = splitVariables(node.value);
  if (pieces.every((piece) => typeof piece === 'string')) return { ...node, value: pieces.join('') };
  const values = pieces.map((piece) => (typeof piece === 'string' ? piece : read(piece, { node, environment, report })));
  if (values.includes(undefined)) return undefined;
  const text = values.join('');
  return { ...node, value: coerce(text), written: text };
}

function read(
  { name, fallback, start }: Variable,
  { node, environment, report }: { readonly node: ScalarNode; readonly environment: Environment; readonly report: Report },
): string | undefined {
  if (isCredentialName(name)) {
    report.errorInText('BAD_ENVIRONMENT_VALUE', {
      node,
      offset: start,
      message: `${quote(name)} names a credential, and profiles are recorded`,
    });
    return undefined;
  }
  const set = Object.hasOwn(environment, name) ? environment[name] : undefined;
  const value = set === undefined || set === '' ? fallback : set;
  if (value === undefined) {
    const hint = `set it, or write \${${name}:-…} to give a default; only texts and settings of tools take values of a request`;
    report.errorInText('BAD_ENVIRONMENT_VALUE', { node, offset: start, message: `the environment does not set ${name}`, hint });
  }
  return value;
}

/** Replaces values of an LLM config that are exactly one variable with lookups: `${NAME:-x}` is short for `from_env`. */
export function variablesAsLookups(root: MapNode): MapNode {
  const asLookup = (node: SourceNode): SourceNode => {
    switch (node.kind) {
      case 'list':
        return { ...node, items: node.items.map(asLookup) };
      case 'map':
        return {
          ...node,
          entries: new Map([...node.entries].map(([key, entry]) => [key, { ...entry, value: asLookup(entry.value) }])),
        };
      case 'scalar': {
        const [piece, ...rest] = typeof node.value === 'string' ? splitVariables(node.value) : [];
        return piece === undefined || typeof piece === 'string' || rest.length > 0 ? node : lookupOf(piece, node);
      }
    }
  };
  const config = root.entries.get('config');
  if (config === undefined || !hasVariables(config.value)) return root;
  return { ...root, entries: new Map([...root.entries, ['config', { ...config, value: asLookup(config.value) }]]) };
}

function lookupOf({ name, fallback }: Variable, { at }: ScalarNode): MapNode {
  const entry = (value: ScalarNode['value']): MapEntry => ({
    keyAt: at,
    value: { kind: 'scalar', at, value, style: 'plain', written: String(value) },
  });
  const entries: [string, MapEntry][] = [
    ['_type', entry('from_env')],
    ['var', entry(name)],
    fallback === undefined ? ['required', entry(true)] : ['default', entry(coerce(fallback))],
  ];
  return { kind: 'map', at, entries: new Map(entries) };
}

/** Environment variable that profile files read. */
interface ReadVariable {
  readonly name: string;
  /** Reader of the variable: `LLM config default`, `toolset notes`. */
  readonly by: string;
  /** True when it is the API key of a model's provider. */
  readonly isApiKey: boolean;
  /** True when an LLM config reads from it the user's choice of model or address. */
  readonly isUserModel: boolean;
}

const kindWords: Readonly<Record<string, string>> = { llm_config: 'LLM config', handover_protocol: 'handover protocol' };

/** Lists every environment variable that profile files read, in file order: through `_type: from_env` and `${NAME}`. */
export function variablesOfFiles(files: readonly ProfileFile[]): readonly ReadVariable[] {
  const found: ReadVariable[] = [];
  const { roots } = parseProfileFiles(files, new Report());
  for (const [kind, nodes] of Object.entries(roots))
    for (const root of nodes) {
      const by = `${kindWords[kind] ?? kind} ${readText(root, 'name') ?? readText(root, 'protocol_name') ?? ''}`.trim();
      const isConfig = kind === 'llm_config';
      walk(root, [], (name, keys) =>
        found.push({ name, by, isApiKey: isConfig && keys.includes('api_key'), isUserModel: isConfig && isUserModel(name, keys) }),
      );
    }
  return found;
}

/** True for a whole value only: inside a text, the variable has another meaning. */
function isUserModel(name: string, keys: readonly string[]): boolean {
  return Object.entries(userModelVars).some(([key, variable]) => variable === name && keys.at(-1) === key);
}

/** Calls `onVariable` with each variable below a node, and the keys above it, outermost first. */
function walk(node: SourceNode, keys: readonly string[], onVariable: (name: string, keys: readonly string[]) => void): void {
  switch (node.kind) {
    case 'scalar':
      if (typeof node.value === 'string')
        for (const piece of splitVariables(node.value)) if (typeof piece !== 'string') onVariable(piece.name, [...keys, '']);
      break;
    case 'list':
      for (const item of node.items) walk(item, [...keys, ''], onVariable);
      break;
    case 'map': {
      const type = childOf(node, '_type');
      const name = childOf(node, 'var');
      if (type?.kind === 'scalar' && type.value === 'from_env' && name?.kind === 'scalar') onVariable(String(name.value), keys);
      for (const [key, { value }] of node.entries) walk(value, [...keys, key], onVariable);
    }
  }
}
