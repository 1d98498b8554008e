import { CadreError } from '../../core/error.ts';
import { storedText } from '../../core/events/journal.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { EngineParts } from '../engine-parts.ts';
import { readGivenTools } from '../toolsets/given-tools.ts';

/**
 * Throws WORKER_LACKS when a tool that code gave when the run began is missing here: a decision would tell the model that it does not exist.
 * Another worker may have it.
 */
export function assertTools({ journal, runtime }: EngineParts, { meta, outcome }: RunContext): void {
  const own = runtime.code.record();
  if (outcome !== undefined || meta.given === undefined || meta.given === own.hash) return;
  const recorded = storedText(journal, meta.given);
  if (recorded === undefined) return;
  const names = new Set(readGivenTools(own.text).tools.map(({ name }) => name));
  const missing = readGivenTools(recorded).tools.flatMap(({ name }) => (names.has(name ?? null) ? [] : [String(name)]));
  if (missing.length === 0) return;
  throw new CadreError(
    'WORKER_LACKS',
    `this worker lacks tools that code gave when run ${meta.runId} began: ${missing.join(', ')}`,
  );
}
