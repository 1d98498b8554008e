import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import { maxFileBytes } from '../../profiles/files/file-limits.ts';
import { Report } from '../../profiles/report.ts';
import { parseYaml } from '../../profiles/yaml/parse-yaml.ts';
import { childOf } from '../../profiles/yaml/source-node.ts';
import { SourceText } from '../../profiles/yaml/source-text.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { isServerStore } from './server-store.ts';
import { isWithin } from '../../files/is-within.ts';
import { realFolder } from '../trust/run-folders.ts';

/**
 * Returns the absolute path that the `team.yaml` of a folder gives a key; undefined when it gives none. Fails with FOLDER_UNTRUSTED when it
 * leads outside the project: the folder of the profiles, or the one above it.
 */
export async function projectPath(profiles: string, key: 'docs' | 'store'): Promise<string | undefined> {
  const folder = path.resolve(profiles);
  const named = textAt(path.join(folder, 'team.yaml'), key);
  if (named === undefined) return undefined;
  const place = path.resolve(folder, named);
  const project = await realFolder(path.dirname(folder));
  if (isWithin(project, await realFolder(place))) return place;
  throw new CadreError(
    'FOLDER_UNTRUSTED',
    `${safe(path.relative('', path.join(folder, 'team.yaml')), 500)}: ${key}: ${safe(named, 500)} leads to ${safe(place, 1_000)}, outside the project ${safe(project, 1_000)}; name it with --${key}`,
    { details: { place } },
  );
}

/** Returns the URL of the server that the `team.yaml` of a folder names as its store; undefined when it names a file or nothing. */
export function projectServer(profiles: string): string | undefined {
  const named = textAt(path.join(path.resolve(profiles), 'team.yaml'), 'store');
  return isServerStore(named) ? named : undefined;
}

/** Reads one text of a file without its other keys; what is wrong with the file is reported when the profiles are loaded. */
function textAt(file: string, key: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() !== true || stats.size > maxFileBytes) return undefined;
  const text = readFileSync(file, 'utf8');
  if (!new RegExp(`^["']?${key}["']?\\s*:`, 'm').test(text)) return undefined;
  const node = childOf(parseYaml(new SourceText(file, text), new Report()), key);
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
}
