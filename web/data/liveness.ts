import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { useRun, useView } from '../run/page-run.ts';
import { getJson } from './api.ts';

/** State of the process that advances a run, which the journal alone does not tell. */
export interface Liveness {
  /** True when the server's own process advances it. */
  readonly isLive: boolean;
  /** True when no process advances it, though it has not ended. */
  readonly isAbandoned: boolean;
}

/** Milliseconds between requests while a run has not ended. */
const againMs = 4_000;

/** Returns the liveness of the run of this page; undefined before the server's first answer, and in a file. */
export function useLiveness(): Liveness | undefined {
  const store = useRun();
  const status = useView((state) => state.status).value;
  const liveness = useMemo(() => signal<Liveness | undefined>(undefined), [store]);
  const isLost = store.connection.value.kind === 'lost';
  useEffect(() => {
    if (!store.isServed || isLost || status === undefined) return undefined;
    const aborting = new AbortController();
    const ask = (): void => {
      // A lost connection is shown elsewhere; the last answer stays until then.
      getJson<Liveness>(`/api/runs/${encodeURIComponent(store.runId)}`, aborting.signal).then(
        ({ isLive, isAbandoned }) => (liveness.value = { isLive, isAbandoned }),
        () => undefined,
      );
    };
    ask();
    const timer = status === 'running' || status === 'awaiting' ? setInterval(ask, againMs) : undefined;
    return () => {
      aborting.abort();
      clearInterval(timer);
    };
  }, [store, liveness, status, isLost]);
  return liveness.value;
}
