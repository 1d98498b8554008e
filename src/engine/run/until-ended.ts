import type { RunDriver } from './run-driver.ts';

/** Resolves when a live run ends; rejects when it cannot go on in this process. */
export async function untilEnded(actor: RunDriver): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stop = actor.subscribers.add({
      onEvents: (events) => {
        for (const { type } of events) {
          if (type !== 'run.end') continue;
          stop();
          resolve();
        }
      },
      onHalt: reject,
    });
  });
}
