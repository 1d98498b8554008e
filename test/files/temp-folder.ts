import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Makes a fresh folder with these files in it, and removes it after the test; returns its real path. */
export async function makeFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'cadre-documents-')));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  for (const [file, content] of Object.entries(files)) await putFile(folder, file, content);
  return folder;
}

/** Writes one file below a folder, with the folders on the way. */
export async function putFile(folder: string, file: string, content: string | Uint8Array): Promise<void> {
  const path = join(folder, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}
