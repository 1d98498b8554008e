import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { useRun, useView } from '../run/run-context.ts';
import { getJson } from './api.ts';

/** Whether anybody advances a run: the journal alone does not say. */
export interface Standing {
  /** The server's own process does. */
  readonly isLive: boolean;
  /** Nobody does, though it is not over. */
  readonly isAbandoned: boolean;
}

/** How often the server is asked again while a run is not over, in milliseconds. */
const againMs = 4_000;

/** Who advances the run of this page; undefined before the server has said, and in a file. */
export function useStanding(): Standing | undefined {
  const store = useRun();
  const status = useView((state) => state.status).value;
  const standing = useMemo(() => signal<Standing | undefined>(undefined), [store]);
  const isLost = store.connection.value.kind === 'lost';
  useEffect(() => {
    if (!store.isServed || isLost || status === undefined) return undefined;
    const aborting = new AbortController();
    const ask = (): void => {
      // A server that does not answer is said elsewhere; what it said last stands until then.
      getJson<Standing>(`/api/runs/${encodeURIComponent(store.runId)}`, aborting.signal).then(
        ({ isLive, isAbandoned }) => (standing.value = { isLive, isAbandoned }),
        () => undefined,
      );
    };
    ask();
    const timer = status === 'running' || status === 'awaiting' ? setInterval(ask, againMs) : undefined;
    return () => {
      aborting.abort();
      clearInterval(timer);
    };
  }, [store, standing, status, isLost]);
  return standing.value;
}
