import type { CadreError } from '../../core/error.ts';
import type { Input } from '../run/input.ts';
import { LazyAbort } from './lazy-abort.ts';

/** An effect that was started and has not ended. */
export interface InFlight {
  readonly kind: 'model' | 'tool';
  readonly abort: AbortController | LazyAbort;
  readonly done: Promise<void>;
  /** It was told to stop because the engine closes: only what it still brings to a good end counts. */
  isLeft: boolean;
}

/** Resolves when all of these have ended. */
export function ended(effects: readonly InFlight[]): Promise<unknown> {
  return Promise.all(effects.map(({ done }) => done));
}

/** True when an effect was told to stop. */
export function isAborted(abort: InFlight['abort']): boolean {
  return abort instanceof LazyAbort ? abort.aborted : abort.signal.aborted;
}

/** Aborts an effect because the engine closes. */
export function leave(effect: InFlight, error: CadreError): void {
  effect.isLeft = true;
  effect.abort.abort(error);
}

/** True for a whole reply, or a tool's result: worth keeping, however late it comes. */
export function isGood(input: Input): boolean {
  return (
    ((input.kind === 'model' || input.kind === 'title') && input.outcome.kind === 'reply') ||
    (input.kind === 'tool' && input.outcome.status === 'ok')
  );
}
