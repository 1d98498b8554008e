import { toRecording } from '../../../inspect/to-recording.ts';
import type { ExitCode } from '../../exit-code.ts';
import { escapeControls } from '../../terminal/json-text.ts';
import { openRecordedRun } from '../../runs/recorded-run.ts';
import { writeRecording } from '../../runs/write-recording.ts';

/** Writes the recording of a run in the journal to a file or to stdout. */
export async function recordCommand(
  reference: string,
  options: { readonly out?: string; readonly store?: string },
): Promise<ExitCode> {
  using run = await openRecordedRun(options.store, reference);
  const text = toRecording(run.state, run.events, run.content);
  if (options.out === undefined) process.stdout.write(escapeControls(text));
  else await writeRecording(options.out, text);
  return 0;
}
