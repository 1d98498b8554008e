import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CadreError, describeThrown } from '../../core/error.ts';

/** Checks before a run that its recording can be written to a file; keeps the file's content. Fails with OPTION_INVALID. */
export function openRecording(file: string): Promise<void> {
  return reporting(file, (place) => appendFile(place, ''));
}

/** Writes a recording to a file; creates its folder when missing. */
export function writeRecording(file: string, text: string): Promise<void> {
  return reporting(file, (place) => writeFile(place, text));
}

async function reporting(file: string, write: (place: string) => Promise<void>): Promise<void> {
  const place = path.resolve(file);
  try {
    await mkdir(path.dirname(place), { recursive: true });
    await write(place);
  } catch (thrown) {
    throw new CadreError('OPTION_INVALID', `the recording cannot be written to ${file}: ${describeThrown(thrown)}`, {
      cause: thrown,
    });
  }
}
