import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** The files of a team that ships, to be completed by a test's own. */
export async function readTeam(folder: string): Promise<readonly { readonly path: string; readonly text: string }[]> {
  const names = await readdir(folder, { recursive: true });
  const yaml = names.filter((name) => name.endsWith('.yaml'));
  return await Promise.all(yaml.map(async (name) => ({ path: name, text: await readFile(path.join(folder, name), 'utf8') })));
}
