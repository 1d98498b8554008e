import type { CadreError } from '../../core/error.ts';
import type { Input } from '../run/input.ts';
import { LazyAbort } from './lazy-abort.ts';

/** A started effect that has not ended. */
export interface InFlight {
  readonly kind: 'model' | 'tool';
  readonly abort: AbortController | LazyAbort;
  readonly done: Promise<void>;
  /** True after an abort because the engine closes: from then on only complete results count. */
  isLeft: boolean;
}

/** Resolves when all these effects have ended. */
export function ended(effects: readonly InFlight[]): Promise<unknown> {
  return Promise.all(effects.map(({ done }) => done));
}

/** True when an effect was aborted. */
export function isAborted(abort: InFlight['abort']): boolean {
  return abort instanceof LazyAbort ? abort.aborted : abort.signal.aborted;
}

/** Aborts an effect because the engine closes. */
export function leave(effect: InFlight, error: CadreError): void {
  effect.isLeft = true;
  effect.abort.abort(error);
}

/** True for a complete reply, or a tool's result: worth recording, however late. */
export function isGood(input: Input): boolean {
  return (
    ((input.kind === 'model' || input.kind === 'title') && input.outcome.kind === 'reply') ||
    (input.kind === 'tool' && input.outcome.status === 'ok')
  );
}
