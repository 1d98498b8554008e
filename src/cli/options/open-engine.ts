import type { Journal } from '../../core/events/journal.ts';
import { prepareEngine } from '../../engine/create-engine.ts';
import type { EngineOptions } from '../../engine/engine-options.ts';
import type { Engine } from '../../engine/engine.ts';
import type { SignedJournal } from '../trust/history-trust.ts';
import { openJournal } from './open-journal.ts';

/** Engine of a command, and its journal: absent in memory. */
export interface OpenedEngine {
  readonly engine: Engine;
  readonly journal: (Journal & Partial<SignedJournal>) | undefined;
}

/**
 * Opens the engine of a command over the journal that `--store` names. Profiles are checked before the journal is opened: a mistake in
 * them leaves no journal behind. The caller closes both.
 */
export async function openEngine(
  options: Omit<EngineOptions, 'store' | 'workspace'>,
  {
    store,
    takeOver = false,
    journal: given,
  }: { readonly store: string | undefined; readonly takeOver?: boolean | undefined; readonly journal?: Journal | undefined },
): Promise<OpenedEngine> {
  const prepared = await prepareEngine(options);
  if (store === 'memory') return { engine: await prepared.open({ ...options, store }), journal: undefined };
  const journal = given ?? (await openJournal(store, { takeOver }));
  try {
    return { engine: await prepared.open({ ...options, store: journal }), journal };
  } catch (thrown) {
    if (given === undefined) await journal.close();
    throw thrown;
  }
}
