import type { CadreEvent } from '../../core/events/event.ts';
import { moduleChanges } from '../../core/patches/module-changes.ts';
import type { Run } from '../../engine/run.ts';
import { describeEvent } from '../../core/events/event.ts';

/** Maximum length of a progress message, in characters. */
const maxMessage = 200;

/** Options of a wait for a run. */
export interface WaitOptions {
  readonly seconds: number;
  /** Ends the wait, not the run. */
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
}

/**
 * Waits until a run is at rest, and reports progress; gives up after `seconds`, or when the signal aborts. Returns true when the run is
 * at rest.
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

/** Returns a progress message for an event, if it is worth one. A reply is not: it may be long, and is returned at the end. */
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
