import type { RunActor } from './run-actor.ts';

/** Resolves with the end of a run that goes on; rejects when it cannot go on in this process. */
export async function untilEnded(actor: RunActor): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stop = actor.subscribers.add({
      onEvents: (events) => {
        if (!events.some((event) => event.type === 'run.end')) return;
        stop();
        resolve();
      },
      onHalt: reject,
    });
  });
}
