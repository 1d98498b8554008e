import { find, type SourceFile } from './source-file.ts';
import { baseOf, chainOf } from './source-tree.ts';

/** What of a tree a file is; the names are those of the folders here. */
export type SourcePart = 'profiles' | 'llm_configs' | 'handover_protocols' | 'prompt_override';

/** Tells what a file is, by what it says and where it lies; undefined for what belongs to something else. */
export function choosePart({ path, data }: SourceFile): SourcePart | undefined {
  const folders = new Set(path.split('/').slice(0, -1));
  const name = path.split('/').at(-1) ?? '';
  if (/^mcp_prompt_override\.ya?ml$/.test(name)) return 'prompt_override';
  if ('protocol_name' in data) return 'handover_protocols';
  if (data['type'] === 'llm_config' || (folders.has('llm_configs') && 'config' in data)) return 'llm_configs';
  if (typeof data['name'] !== 'string' || 'services' in data) return undefined;
  const says = [
    'system_prompt_construction',
    'tool_access_policy',
    'flow_decider',
    'base_profile',
    'llm_config_ref',
    'text_definitions',
  ];
  return folders.has('profiles') || says.some((key) => key in data) ? 'profiles' : undefined;
}

/** The profiles that were used: of those with one name the active one with the highest revision; none whose bases do not hold. */
export function chooseProfiles(files: readonly SourceFile[]): ReadonlyMap<string, SourceFile> {
  const chosen = new Map<string, SourceFile>();
  for (const file of files) {
    const name = String(file.data['name'] ?? '');
    if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}$/.test(name)) {
      find(file, 'not_converted', undefined, 'the profile has no name that can be used', {
        hint: 'letters, digits and _ . -, at most 80',
      });
      continue;
    }
    const other = chosen.get(name);
    const [kept, dropped] = other === undefined || isNewer(file, other) ? [file, other] : [other, file];
    if (dropped !== undefined)
      find(dropped, 'left_out', undefined, `${name} stands in ${kept.path}, too, which is the one that was used`);
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
    find(
      file,
      'not_converted',
      undefined,
      `${name} was never loaded: its bases (${String(baseOf(file))}, …) go in a circle, or one is missing`,
      {
        hint: 'mend base_profile, and convert again',
      },
    );
  }
  return whole;
}
