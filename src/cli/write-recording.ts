import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CadreError, describeThrown } from '../core/error.ts';

/** Writes a recording to a file, whose folder is made when it is missing. */
export async function writeRecording(file: string, text: string): Promise<void> {
  try {
    await mkdir(path.dirname(path.resolve(file)), { recursive: true });
    await writeFile(file, text);
  } catch (thrown) {
    throw new CadreError('OPTION_INVALID', `the recording cannot be written to ${file}: ${describeThrown(thrown)}`);
  }
}
