import { effect } from '@preact/signals';
import type { RunContext } from '../../src/core/state/run-context.ts';
import type { RunStore } from './run-store.ts';

/** How long the journal may take to show what the server has taken, in milliseconds. */
const longestMs = 15_000;

/** Waits until the run's own record shows something: what was asked for has happened when it stands there, and not before. */
export function until(store: RunStore, holds: (state: RunContext) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let stop: (() => void) | undefined;
    let isDone = false;
    const finish = (settle: () => void): void => {
      isDone = true;
      clearTimeout(timer);
      stop?.();
      settle();
    };
    const timer = setTimeout(
      () => finish(() => reject(new Error('The server took it, but it does not show in the run yet.'))),
      longestMs,
    );
    stop = effect(() => {
      void store.revision.value;
      if (!isDone && store.state !== undefined && holds(store.state)) finish(resolve);
    });
    // It held from the beginning: the effect could not stop what was not there yet.
    if (isDone) stop();
  });
}
