import { splitVariables } from '../core/expression/variables.ts';
import type { ProfileFile } from '../core/profile.ts';
import { readText } from './compile/read-node.ts';
import { parseProfileFiles } from './parse-profile-files.ts';
import { Report } from './report.ts';
import { childOf, type SourceNode } from './yaml/source-node.ts';

/** A variable of the environment that profile files read. */
export interface ReadVariable {
  readonly name: string;
  /** What reads it: `LLM config default`, `toolset notes`. */
  readonly by: string;
  /** It is the key of a model's provider, and nothing else. */
  readonly isApiKey: boolean;
}

const kindWords: Readonly<Record<string, string>> = { llm_config: 'LLM config', handover_protocol: 'handover protocol' };

/** Every variable of the environment that profile files read, in the order of the files: by `_type: from_env` and by `${NAME}`. */
export function variablesOfFiles(files: readonly ProfileFile[]): readonly ReadVariable[] {
  const found: ReadVariable[] = [];
  const { roots } = parseProfileFiles(files, new Report());
  for (const [kind, nodes] of Object.entries(roots))
    for (const root of nodes) {
      const by = `${kindWords[kind] ?? kind} ${readText(root, 'name') ?? readText(root, 'protocol_name') ?? ''}`.trim();
      walk(root, false, (name, isKey) => found.push({ name, by, isApiKey: isKey && kind === 'llm_config' }));
    }
  return found;
}

/** Calls back with each variable below a node, and whether it stands below the key `api_key`. */
function walk(node: SourceNode, isKey: boolean, onVariable: (name: string, isKey: boolean) => void): void {
  switch (node.kind) {
    case 'scalar':
      if (typeof node.value === 'string')
        for (const piece of splitVariables(node.value)) if (typeof piece !== 'string') onVariable(piece.name, isKey);
      break;
    case 'list':
      for (const item of node.items) walk(item, isKey, onVariable);
      break;
    case 'map': {
      const type = childOf(node, '_type');
      const name = childOf(node, 'var');
      if (type?.kind === 'scalar' && type.value === 'from_env' && name?.kind === 'scalar') onVariable(String(name.value), isKey);
      for (const [key, { value }] of node.entries) walk(value, isKey || key === 'api_key', onVariable);
    }
  }
}
