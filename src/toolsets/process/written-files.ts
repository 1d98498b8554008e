import { lstat, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { ContentPart } from '../../core/prompt/message.ts';
import { readWhole, useInside } from '../../files/read-inside.ts';

/** Maximum number of entries checked, so that a big workspace costs no more than a moment. */
const maxLookedAt = 20_000;
/** Maximum number of files listed. */
const maxListed = 40;
/** Maximum number of images passed along with the text, and the maximum size of each in bytes. */
const maxImages = 4;
const maxImageBytes = 1024 * 1024;
/** Folders that are not searched for written files. */
const skipped = new Set(['.git', 'node_modules', '.cadre', '__pycache__', 'command-output']);

const imageTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
};

/** Written file. */
export interface WrittenFile {
  /** Relative to the workspace. */
  readonly name: string;
  readonly bytes: number;
}

/** Returns the files of a workspace written after a moment (milliseconds since 1970), sorted by name. Does not follow links. */
export async function writtenFiles(workspace: string, since: number): Promise<readonly WrittenFile[]> {
  const found: WrittenFile[] = [];
  const folders = [''];
  let lookedAt = 0;
  for (let folder = folders.pop(); folder !== undefined && lookedAt < maxLookedAt; folder = folders.pop()) {
    // A folder that is gone, or may not be read, has no files to show.
    const entries = await readdir(path.join(workspace, folder), { withFileTypes: true }).catch(() => []);
    lookedAt += entries.length;
    for (const entry of entries) {
      const name = path.join(folder, entry.name);
      if (entry.isDirectory() && !skipped.has(entry.name)) folders.push(name);
      if (!entry.isFile()) continue;
      const stats = await lstat(path.join(workspace, name)).catch(() => undefined);
      if (stats !== undefined && stats.ctimeMs > since) found.push({ name, bytes: stats.size });
    }
  }
  return found.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Describes written files, in lines. */
export function describeWritten(files: readonly WrittenFile[]): readonly string[] {
  if (files.length === 0) return [];
  const shown = files.slice(0, maxListed).map(({ name, bytes }) => `${JSON.stringify(name)} (${bytes} bytes)`);
  const more = files.length > maxListed ? [`… and ${files.length - maxListed} more`] : [];
  return ['--- files written', ...shown, ...more];
}

/** Returns the first small images among written files. */
export async function writtenImages(workspace: string, files: readonly WrittenFile[]): Promise<readonly ContentPart[]> {
  const root = await realpath(workspace);
  const images = files.filter(({ name, bytes }) => mediaTypeOf(name) !== undefined && bytes > 0 && bytes <= maxImageBytes);
  const parts: ContentPart[] = [];
  for (const { name } of images.slice(0, maxImages)) {
    const bytes = await useInside({ root, file: name, what: 'the workspace' }, readWhole).catch(() => undefined);
    const mediaType = mediaTypeOf(name);
    // An image that changed or was removed meanwhile is listed, but not shown.
    if (bytes === undefined || mediaType === undefined || bytes.length > maxImageBytes) continue;
    const data = { type: 'data', data: Buffer.from(bytes).toString('base64') } as const;
    parts.push({ type: 'file', mediaType, filename: path.basename(name), data });
  }
  return parts;
}

function mediaTypeOf(name: string): string | undefined {
  return imageTypes[path.extname(name).toLowerCase()];
}
