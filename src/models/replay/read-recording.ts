import { readFile } from 'node:fs/promises';
import { CadreError, describeThrown } from '../../core/error.ts';
import { isJsonObject } from '../../core/json.ts';
import { parseRecording, type Recording } from '../../core/recording/recording.ts';

/** Reads a recording from its file, or checks a given one. Throws RECORDING_INVALID when it cannot be read. */
export async function readRecording(source: string | Recording): Promise<Recording> {
  if (typeof source !== 'string') return asRecording(source);
  let text: string;
  try {
    text = await readFile(source, 'utf8');
  } catch (thrown) {
    throw new CadreError('RECORDING_INVALID', `the recording ${source} cannot be read: ${describeThrown(thrown)}`, {
      cause: thrown,
    });
  }
  return parseRecording(text, source);
}

/** Checks a recording given by code. */
function asRecording(source: Recording): Recording {
  const entries: unknown = source.entries;
  if (Array.isArray(entries) && entries.every(isJsonObject)) return source;
  throw new CadreError(
    'RECORDING_INVALID',
    'replay: this is not a recording; pass the path of its file, or the result of `parseRecording` of cadre/testing',
  );
}
