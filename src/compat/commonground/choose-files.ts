import type { JsonObject } from '../../core/json.ts';
import { keyNode, nodeAt } from './edit-yaml.ts';
import { tellingKeys } from './generation.ts';
import { find, type SourceFile } from './source-file.ts';
import { baseOf, chainOf } from './source-tree.ts';

/** Kind of a source file, named like the folders of a Cadre team. */
export type SourcePart = 'profiles' | 'llm_configs' | 'handover_protocols' | 'prompt_override';

/** Returns the kind of a file, by its content and location; undefined for files of other programs. */
export function choosePart({ path, data }: SourceFile): SourcePart | undefined {
  const folders = new Set(path.split('/').slice(0, -1));
  const name = path.split('/').at(-1) ?? '';
  if (/^mcp_prompt_override\.ya?ml$/.test(name)) return 'prompt_override';
  if ('services' in data) return undefined;
  if ('protocol_name' in data || folders.has('handover_protocols')) return 'handover_protocols';
  const isDefault = Object.keys(data).join() === 'llm_config';
  if (data['type'] === 'llm_config' || folders.has('llm_configs') || isDefault) return 'llm_configs';
  if (isForeign(data)) return undefined;
  return folders.has('profiles') || tellingKeys.some((key) => key in data) ? 'profiles' : undefined;
}

function isForeign(data: JsonObject): boolean {
  return 'tool_name' in data || 'apiVersion' in data;
}

/** Notes a file that is not part of a team: a known kind that cannot be converted, or any other file. */
export function otherFile(file: SourceFile): void {
  const { data, path } = file;
  if ('tool_name' in data && ('target_subject' in data || 'parameters' in data)) {
    find(file, 'not_converted', {
      at: keyNode(file.root, 'tool_name'),
      message: `the tool ${String(data['tool_name'])} runs in a separate program`,
      hint: 'write it as a custom tool (docs/tools.md), or as an MCP server',
    });
  } else if ('apiVersion' in data) {
    find(file, 'not_converted', {
      at: keyNode(file.root, 'apiVersion'),
      message: `${path} is a file of ${String(data['apiVersion'])}, not of CommonGround`,
      hint: 'docs/teams.md lists teams modelled on other systems',
    });
  } else find(file, 'left_out', { at: undefined, message: 'this is not a profile, LLM config or handover protocol' });
}

/**
 * Returns the profiles in use: for each name the active one with the highest revision, without those whose bases are missing or
 * circular.
 */
export function chooseProfiles(files: readonly SourceFile[]): ReadonlyMap<string, SourceFile> {
  const chosen = new Map<string, SourceFile>();
  for (const file of files) {
    const name = String(file.data['name'] ?? '');
    if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}$/.test(name)) {
      find(file, 'not_converted', {
        at: nodeAt(file.root, 'name'),
        message: 'the profile has no valid name',
        hint: 'letters, digits and _ . -, at most 80',
      });
      continue;
    }
    const other = chosen.get(name);
    const [kept, dropped] = other === undefined || isNewer(file, other) ? [file, other] : [other, file];
    if (dropped !== undefined)
      find(dropped, 'left_out', { at: undefined, message: `${name} is also in ${kept.path}, which is the version in use` });
    chosen.set(name, kept);
  }
  return withoutBroken(chosen);
}

function isNewer(one: SourceFile, other: SourceFile): boolean {
  const rank = ({ data }: SourceFile): readonly (number | string)[] => [
    data['is_active'] === false || data['is_deleted'] === true ? 0 : 1,
    typeof data['rev'] === 'number' ? data['rev'] : 1,
    typeof data['timestamp'] === 'string' ? data['timestamp'] : '',
  ];
  const [a, b] = [rank(one), rank(other)];
  const at = a.findIndex((value, index) => value !== b[index]);
  return at >= 0 && (a[at] ?? 0) > (b[at] ?? 0);
}

function withoutBroken(profiles: ReadonlyMap<string, SourceFile>): ReadonlyMap<string, SourceFile> {
  const whole = new Map<string, SourceFile>();
  for (const [name, file] of profiles) {
    if (chainOf(file, profiles) !== undefined) {
      whole.set(name, file);
      continue;
    }
    find(file, 'not_converted', {
      at: nodeAt(file.root, 'base_profile'),
      message: `${name} was never loaded: its bases (${String(baseOf(file))}, …) form a circle, or one is missing`,
      hint: 'fix base_profile, and convert again',
    });
  }
  return whole;
}
