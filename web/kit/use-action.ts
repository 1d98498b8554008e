import { useRef, useState } from 'preact/hooks';
import { ApiError, isReachable } from '../data/api.ts';

/** Something the server is asked to do. */
export interface Action {
  readonly isBusy: boolean;
  /** Why it was refused, in the server's words; that the server did not answer holds until it does. */
  readonly problem: string | undefined;
  /** Asks once: while it is busy, it is not asked again. */
  readonly run: (work: () => Promise<unknown>) => void;
}

/** State of a button that asks the server: busy, then done or refused. What it changed comes through the journal. */
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
