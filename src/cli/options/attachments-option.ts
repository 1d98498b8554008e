import { open } from 'node:fs/promises';
import path from 'node:path';
import { CadreError, describeThrown } from '../../core/error.ts';

// The maximum for a message (see docs/models.md); larger files are not read.
const maxFileBytes = 20_000_000;

/** Collects the files of a repeated `--attach`. */
export function collectFiles(file: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), file];
}

/** Returns the payload of a launch: the question with its files, or the question alone when there are none. */
export async function withFiles(question: string, files: readonly string[] | undefined): Promise<unknown> {
  if (files === undefined || files.length === 0) return question;
  const attachments = [];
  for (const file of files) attachments.push({ data: (await readFile(file)).toString('base64'), filename: path.basename(file) });
  return { prompt: question, attachments };
}

async function readFile(file: string): Promise<Buffer> {
  try {
    await using handle = await open(file, 'r');
    const stats = await handle.stat();
    if (!stats.isFile()) throw refused(file, 'it is no regular file');
    if (stats.size > maxFileBytes) throw refused(file, `it is larger than ${maxFileBytes} bytes (${stats.size})`);
    if (stats.size === 0) throw refused(file, 'it is empty');
    return await handle.readFile();
  } catch (thrown) {
    throw thrown instanceof CadreError ? thrown : refused(file, describeThrown(thrown));
  }
}

function refused(file: string, reason: string): CadreError {
  return new CadreError('OPTION_INVALID', `--attach ${file} cannot be read: ${reason}`);
}
