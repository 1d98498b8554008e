import { CadreError, describeThrown } from '../../core/error.ts';
import { checkOutput, writeOutput } from '../../files/output-file.ts';

/** Checks before a run that its recording can be written to a file; writes nothing. Fails with OPTION_INVALID or PATH_REFUSED. */
export function openRecording(file: string): Promise<void> {
  return reporting(file, () => checkOutput(file, { namedBy: 'user' }));
}

/** Writes a recording to a file; creates its folder when missing. Fails with OPTION_INVALID or PATH_REFUSED. */
export function writeRecording(file: string, text: string): Promise<void> {
  return reporting(file, () => writeOutput(file, text, { namedBy: 'user' }));
}

async function reporting(file: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (thrown) {
    if (thrown instanceof CadreError) throw thrown;
    throw new CadreError('OPTION_INVALID', `the recording cannot be written to ${file}: ${describeThrown(thrown)}`, {
      cause: thrown,
    });
  }
}
