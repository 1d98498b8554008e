import { splitVariables } from '../../core/expression/variables.ts';
import { userModelVars } from '../../core/model/model-key.ts';
import type { ProfileFile } from '../../core/profile/profile.ts';
import { readText } from '../compile/read-node.ts';
import { parseProfileFiles } from './parse-profile-files.ts';
import { Report } from '../report.ts';
import { childOf, type SourceNode } from '../yaml/source-node.ts';

/** Environment variable that profile files read. */
export interface ReadVariable {
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
