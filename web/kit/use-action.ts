import { useRef, useState } from 'preact/hooks';
import { ApiError, isReachable } from '../data/api.ts';

/** A request to the server and its state. */
export interface Action {
  readonly isBusy: boolean;
  /** Error message of the server; that it did not answer is shown until it does. */
  readonly problem: string | undefined;
  /** Starts the request, unless one is in progress. */
  readonly run: (work: () => Promise<unknown>) => void;
}

/** State of a button that sends a request: busy, then done or failed. The effect arrives through the journal. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Error | undefined>();
  const busy = useRef(false);
  const run = (work: () => Promise<unknown>): void => {
    if (busy.current) return;
    const settle = (found: Error | undefined): void => {
      busy.current = false;
      setBusy(false);
      setProblem(found);
    };
    busy.current = true;
    setBusy(true);
    setProblem(undefined);
    work().then(
      () => settle(undefined),
      (thrown: unknown) => settle(thrown instanceof Error ? thrown : new Error(String(thrown))),
    );
  };
  const isPast = problem instanceof ApiError && problem.code === 'OFFLINE' && isReachable.value;
  return { isBusy, problem: isPast ? undefined : problem?.message, run };
}
