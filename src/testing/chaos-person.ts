import type { Run } from '../engine/run.ts';
import { fittingValue, plainWords } from './chaos-values.ts';
import { seededRandom } from './seeded-random.ts';

/** Person who decides requests of a run at random. */
export interface ChaosPerson {
  /**
   * Decides every pending request of a settled run: approves or rejects calls, answers questions with one of their choices or any
   * text. Sends a message to a run that awaits one, while messages are left. Returns false when there was nothing to do.
   */
  attend(run: Run): Promise<boolean>;
}

/** Options of a person who decides at random. */
export interface ChaosPersonOptions {
  /** A whole number; the same seed gives the same decisions. */
  readonly seed: number;
  /** Most messages to send to runs that await one; 2 by default. */
  readonly messages?: number;
}

/** Creates a person who approves, rejects and answers at random, by seed: the counterpart of `chaosModel`. */
export function chaosPerson({ seed, messages = 2 }: ChaosPersonOptions): ChaosPerson {
  const random = seededRandom(seed);
  let left = messages;
  return {
    async attend(run) {
      const { pending } = run;
      for (const { id, kind, schema } of pending) {
        // An earlier decision may have settled this request.
        if (!run.pending.some((request) => request.id === id)) continue;
        if (kind === 'question') await run.answer(id, fittingValue(schema ?? { type: 'string' }, { random, words: plainWords }));
        else if (random.chance(0.7)) await run.approve(id);
        else await run.reject(id, { message: random.pick(plainWords) ?? 'No.' });
      }
      if (pending.length > 0) return true;
      if (run.state.status !== 'awaiting' || left === 0) return false;
      left -= 1;
      await run.send(random.pick(plainWords) ?? 'Go on.');
      return true;
    },
  };
}
