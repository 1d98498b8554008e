import { createContext } from 'preact';
import { useContext, useEffect, useMemo } from 'preact/hooks';
import { type ReadonlySignal } from '@preact/signals';
import type { RunContext } from '../../src/core/state/run-context.ts';
import type { RunStore } from '../data/run-store.ts';

/** The run a view is of. */
export const PageRun = createContext<RunStore | undefined>(undefined);

/** The run this component is in. */
export function useRun(): RunStore {
  const store = useContext(PageRun);
  if (store === undefined) throw new Error('a view of a run stands outside of one');
  return store;
}

/** A view of the run, computed again when something came; `deps` are what it depends on besides. */
export function useView<Value>(
  compute: (state: RunContext, store: RunStore) => Value,
  deps: readonly unknown[] = [],
): ReadonlySignal<Value | undefined> {
  const store = useRun();
  return useMemo(() => store.view(compute), [store, ...deps]);
}

/** Says in the window's title what is shown. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Cadre`;
  }, [title]);
}
