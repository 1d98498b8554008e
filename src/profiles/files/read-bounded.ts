import { open } from 'node:fs/promises';
import { maxFileBytes } from './file-limits.ts';

/** Reads a file up to the size limit of profile files; undefined when it is larger. */
export async function readBounded(path: string): Promise<Uint8Array | undefined> {
  await using handle = await open(path, 'r');
  const buffer = new Uint8Array(maxFileBytes + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
    if (bytesRead === 0) return buffer.subarray(0, length);
    length += bytesRead;
  }
  return undefined;
}
