import { formatRerendering } from '../../../inspect/format/format-rerendering.ts';
import type { ExitCode } from '../../exit-code.ts';
import { profilesFolder } from '../../options/profiles-folder.ts';
import { findRun } from '../../runs/find-run.ts';
import { openReadingEngine } from '../../runs/reading-engine.ts';
import { show, type ReadingOptions } from '../../runs/show.ts';

/** Options of `rerender`. */
export interface RerenderCommandOptions extends ReadingOptions {
  readonly profiles?: string;
}

/** Decides the recorded turns of runs again with other profiles; exits 1 when any turn differs. */
export async function rerenderCommand(references: readonly string[], options: RerenderCommandOptions): Promise<ExitCode> {
  const profiles = profilesFolder(options.profiles);
  await using reading = await openReadingEngine(options.store);
  const { engine, journal } = reading;
  const summaries = await journal.runs();
  const runIds = references.map((reference) => findRun(summaries, reference, journal.location).runId);
  const result = await engine.rerender(runIds, { profiles, prompts: options.json === true && options.full === true });
  return show({ data: result, text: (format) => formatRerendering(result, format), code: result.differ === 0 ? 0 : 1 }, options);
}
