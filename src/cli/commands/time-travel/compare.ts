import { compareRuns } from '../../../inspect/compare/compare-runs.ts';
import { formatComparison } from '../../../inspect/format/format-comparison.ts';
import { requiredTexts, storedText } from '../../../core/events/journal.ts';
import type { ExitCode } from '../../exit-code.ts';
import { findRun } from '../../runs/find-run.ts';
import { openRecords } from '../../runs/recorded-run.ts';
import { show, type ReadingOptions } from '../../runs/show.ts';

/** Compares runs turn by turn; exits 1 when a turn of any differs from the first, apart from times. */
export async function compareCommand(references: readonly string[], options: ReadingOptions): Promise<ExitCode> {
  const journal = await openRecords(options.store);
  try {
    const summaries = await journal.runs();
    const runIds = references.map((reference) => findRun(summaries, reference, journal.location).runId);
    const runs = await Promise.all(
      runIds.map(async (runId) => ({
        events: await journal.read(runId),
        content: requiredTexts((hash) => storedText(journal, hash), journal.location),
      })),
    );
    const comparison = compareRuns(runs);
    const differs = comparison.pairs.some(({ differ }) => differ > 0);
    return show({ data: comparison, text: (format) => formatComparison(comparison, format), code: differs ? 1 : 0 }, options);
  } finally {
    await journal.close();
  }
}
