import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readBounded } from './read-bounded.ts';
import { Report } from '../report.ts';
import { includePattern } from '../schema/team-schema.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { childOf } from '../yaml/source-node.ts';
import { SourceText } from '../yaml/source-text.ts';

const teamFile = 'team.yaml';

/** Whether a folder with these entries is a team of its own, which is not read with the folder above it. */
export function isTeamFolder(names: readonly string[]): boolean {
  return names.includes(teamFile);
}

/**
 * What a folder's `team.yaml` includes: `..`, `../name` or the name of a bundled team; nothing when it is no team. What is wrong with the file is
 * reported when it is compiled, so anything else is passed over here.
 */
export async function includesOf(folder: string): Promise<readonly string[]> {
  const text = await readTeamFile(folder);
  if (text === undefined) return [];
  const list = childOf(parseYaml(new SourceText(teamFile, text), new Report()), 'includes');
  const items = list?.kind === 'list' ? list.items : [];
  return items.flatMap((item) =>
    item.kind === 'scalar' && typeof item.value === 'string' && includePattern.test(item.value) ? [item.value] : [],
  );
}

async function readTeamFile(folder: string): Promise<string | undefined> {
  try {
    const path = join(folder, teamFile);
    // A pipe would never end, and a device has no end.
    const bytes = (await stat(path)).isFile() ? await readBounded(path) : undefined;
    return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
  } catch {
    // Most folders have none; one that cannot be read is reported with the files of its folder.
    return undefined;
  }
}
