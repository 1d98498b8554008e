import { splitVariables } from '../../core/expression/variables.ts';
import { userModelVars } from '../../core/model/model-key.ts';
import type { ProfileFile } from '../../core/profile/profile.ts';
import { readText } from '../compile/read-node.ts';
import { parseProfileFiles } from './parse-profile-files.ts';
import { Report } from '../report.ts';
import { childOf, type SourceNode } from '../yaml/source-node.ts';

/** A variable of the environment that profile files read. */
export interface ReadVariable {
  readonly name: string;
  /** What reads it: `LLM config default`, `toolset notes`. */
  readonly by: string;
  /** It is the key of a model's provider, and nothing else. */
  readonly isApiKey: boolean;
  /** It is where an LLM config asks the user which model answers, or at which address. */
  readonly isUserModel: boolean;
}

const kindWords: Readonly<Record<string, string>> = { llm_config: 'LLM config', handover_protocol: 'handover protocol' };

/** Every variable of the environment that profile files read, in the order of the files: by `_type: from_env` and by `${NAME}`. */
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

/** Only whole values: within a text, a variable says something else. */
function isUserModel(name: string, keys: readonly string[]): boolean {
  return Object.entries(userModelVars).some(([key, variable]) => variable === name && keys.at(-1) === key);
}

/** Calls back with each variable below a node, and the keys above it, outermost first. */
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
