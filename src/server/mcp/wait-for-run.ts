import type { CadreEvent } from '../../core/events/event.ts';
import { moduleChanges } from '../../core/patches/module-changes.ts';
import type { Run } from '../../engine/run.ts';
import { describeEvent } from '../../inspect/describe-event.ts';

/** Longest text of one progress message, in characters. */
const maxMessage = 200;

/** How long to wait for a run, and who is told meanwhile. */
export interface WaitOptions {
  readonly seconds: number;
  /** Ends the wait, not the run. */
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
}

/**
 * Waits until nothing of a run is running, telling what happens; gives up after the time, and when nobody waits any more.
 * Answers whether the run is at rest.
 */
export async function waitForRun(run: Run, { seconds, signal, progress }: WaitOptions): Promise<boolean> {
  const { promise: over, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), seconds * 1_000);
  const onAbort = (): void => resolve(false);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) resolve(false);
  const unsubscribe = run.subscribe({
    onEvents: (events) => {
      for (const event of events) {
        const message = newsOf(event);
        if (message !== undefined) progress(message.slice(0, maxMessage));
      }
    },
  });
  try {
    return await Promise.race([run.settled().then(() => true), over]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    unsubscribe();
  }
}

/** What of a run's events is worth telling while somebody waits; a reply is not, since it may be long and is read later. */
export function newsOf(event: CadreEvent): string | undefined {
  switch (event.type) {
    case 'agent.start':
    case 'agent.end':
    case 'turn.start':
    case 'tool.request':
    case 'tool.end':
    case 'limit.reach':
      return describeEvent(event);
    case 'module.update':
    case 'state.patch':
      return moduleChanges(event).length === 0 ? undefined : describeEvent(event);
    default:
      return undefined;
  }
}
