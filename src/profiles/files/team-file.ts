import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readBounded } from './read-bounded.ts';
import { Report } from '../report.ts';
import { includePattern } from '../schema/team-schema.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { childOf } from '../yaml/source-node.ts';
import { SourceText } from '../yaml/source-text.ts';

const teamFile = 'team.yaml';

/** True when a folder with these entries is a separate team, which is not read with the folder above it. */
export function isTeamFolder(names: readonly string[]): boolean {
  return names.includes(teamFile);
}

/**
 * Returns the includes of a folder's `team.yaml`: `..`, `../name` or the name of a bundled team; empty when the folder is not a
 * team. Invalid entries are skipped here and reported when the file is compiled.
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
    // A pipe or device might never end.
    const bytes = (await stat(path)).isFile() ? await readBounded(path) : undefined;
    return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
  } catch {
    // Most folders have no team file; an unreadable one is reported when its folder is read.
    return undefined;
  }
}
