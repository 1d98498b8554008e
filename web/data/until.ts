import { effect } from '@preact/signals';
import type { RunContext } from '../../src/core/state/run-context.ts';
import type { RunStore } from './run-store.ts';

/** Milliseconds the journal may take to show a change that the server has accepted. */
const longestMs = 15_000;

/** Waits until the run's state shows a change: an action has happened once it is in the journal. */
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
      () => finish(() => reject(new Error('The server accepted this, but the run does not show it yet.'))),
      longestMs,
    );
    stop = effect(() => {
      void store.revision.value;
      if (!isDone && store.state !== undefined && holds(store.state)) finish(resolve);
    });
    // True from the beginning: `stop` did not exist yet inside the effect.
    if (isDone) stop();
  });
}
