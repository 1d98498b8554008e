import { childOf, type SourceNode } from '../yaml/source-node.ts';

/** Kinds of files in a profile folder. `ignored` files belong to other programs. */
export type FileKind = 'profile' | 'llm_config' | 'handover_protocol' | 'toolset' | 'team' | 'script' | 'prices' | 'ignored';

const folders: Readonly<Record<string, FileKind>> = {
  profiles: 'profile',
  llm_configs: 'llm_config',
  handover_protocols: 'handover_protocol',
  toolsets: 'toolset',
  scripts: 'script',
};

/**
 * Returns the kind of a file: by keys that only one kind has, else by its folder, else by its rules; any other file is a profile.
 */
export function fileKindOf(path: string, root: SourceNode | undefined): FileKind {
  const type = childOf(root, 'type');
  if (type?.kind === 'scalar' && type.value === 'llm_config') return 'llm_config';
  if (type?.kind === 'scalar' && type.value === 'toolset') return 'toolset';
  if (type?.kind === 'scalar' && type.value === 'team') return 'team';
  if (type?.kind === 'scalar' && type.value === 'prices') return 'prices';
  if (childOf(root, 'protocol_name') !== undefined) return 'handover_protocol';
  const names = path.split('/');
  const file = names.pop() ?? '';
  for (const name of names.toReversed()) {
    const kind = Object.hasOwn(folders, name) ? folders[name] : undefined;
    if (kind !== undefined) return kind;
  }
  if (names.at(-1)?.startsWith('mcp') === true || (file.startsWith('mcp') && childOf(root, 'name') === undefined)) return 'ignored';
  if (childOf(root, 'rules') !== undefined && childOf(root, 'flow_decider') === undefined) return 'script';
  return 'profile';
}
