import { stat } from 'node:fs/promises';
import path from 'node:path';
import { CadreError, describeThrown } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import { foldEvents } from '../../core/fold/apply-event.ts';
import type { TurnId } from '../../core/ids.ts';
import type { TurnState } from '../../core/state/turn-state.ts';
import { createContentHash } from '../../engine/recovery/content-hash.ts';
import { readProjectText } from '../../files/output-file.ts';
import { assertInProject } from '../../files/project-place.ts';
import { contentOf } from '../../inspect/bundle.ts';
import { bundleLimits, readBundle } from '../../inspect/bundle/read-bundle.ts';
import type { ReadContent } from '../../inspect/read-content.ts';

/** A recorded run: its events, and the texts they refer to. */
export interface RecordedSource {
  readonly events: readonly CadreEvent[];
  readonly content: ReadContent;
}

/** Opens runs of a journal by id, prefix or `last`. */
export type OpenRecords = (run: string) => Promise<RecordedSource>;

/** A recorded turn and its run. */
export interface RecordedTurn extends RecordedSource {
  readonly turn: TurnState;
}

/**
 * Finds the turn of a reference RUN/TURN: RUN is the path of an exported run, relative to `folder`, or a run of the journal; TURN an id or
 * the end of one. Fails with RUN_UNKNOWN, TURN_UNKNOWN or BUNDLE_INVALID.
 */
export async function findRecorded(
  reference: string,
  { folder, records }: { readonly folder: string; readonly records: OpenRecords | undefined },
): Promise<RecordedTurn> {
  const cut = reference.lastIndexOf('/');
  const [run, turnName] = [reference.slice(0, cut), reference.slice(cut + 1)];
  const source = await openSource(run, folder, records);
  return { ...source, turn: turnOf(source, run, turnName) };
}

async function openSource(run: string, folder: string, records: OpenRecords | undefined): Promise<RecordedSource> {
  const file = path.resolve(folder, run);
  const size = await stat(file).then(
    (found) => (found.isFile() ? found.size : undefined),
    () => undefined,
  );
  if (size !== undefined) {
    if (size > bundleLimits.chars)
      throw new CadreError('BUNDLE_INVALID', `${run}: the file has ${size} bytes; the maximum is ${bundleLimits.chars}`);
    assertInProject(folder, file);
    const bundle = readBundle(await readProjectText(file), { hash: createContentHash(), source: run });
    return { events: bundle.events, content: contentOf(bundle) };
  }
  const isFile = run.includes('/') || run.endsWith('.json');
  if (isFile || records === undefined)
    throw new CadreError('RUN_UNKNOWN', `there is no recording ${run} beside the test; write it with: cadre test --from RUN TURN`);
  return await records(run).catch((thrown: unknown) => {
    throw new CadreError(
      'RUN_UNKNOWN',
      `${run} is neither a recording beside the test nor a run of the journal: ${thrown instanceof CadreError ? thrown.message : describeThrown(thrown)}`,
    );
  });
}

function turnOf({ events }: RecordedSource, run: string, name: string): TurnState {
  const state = foldEvents(events, 'everything');
  const turns = [...(state?.turns.values() ?? [])];
  const found = turns.filter(({ turnId }) => turnId === name || turnId.endsWith(`.${name}`) || turnId.endsWith(`_${name}`));
  const wanted = name === 'last' ? turns.slice(-1) : found;
  const [only] = wanted;
  if (only !== undefined && wanted.length === 1) return only;
  const ids = (wanted.length === 0 ? turns : wanted).map(({ turnId }): TurnId => turnId);
  const problem = wanted.length === 0 ? `${run} has no turn '${name}'; it has` : `'${name}' is the end of ${wanted.length} turns`;
  throw new CadreError('TURN_UNKNOWN', `${problem}: ${ids.slice(-10).join(', ') || 'none'}`);
}
