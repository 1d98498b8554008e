import { createContext } from 'preact';
import { useContext, useEffect, useMemo } from 'preact/hooks';
import { type ReadonlySignal } from '@preact/signals';
import type { RunContext } from '../../src/core/state/run-context.ts';
import type { RunStore } from '../data/run-store.ts';

/** The run of a view. */
export const PageRun = createContext<RunStore | undefined>(undefined);

/** Returns the run of this component. */
export function useRun(): RunStore {
  const store = useContext(PageRun);
  if (store === undefined) throw new Error('this component must be inside a run page');
  return store;
}

/** Returns a view of the run, computed again when events arrive or `deps` change. */
export function useView<Value>(
  compute: (state: RunContext, store: RunStore) => Value,
  deps: readonly unknown[] = [],
): ReadonlySignal<Value | undefined> {
  const store = useRun();
  return useMemo(() => store.view(compute), [store, ...deps]);
}

/** Sets the window's title. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Cadre`;
  }, [title]);
}
