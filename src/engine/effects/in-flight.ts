import type { CadreError } from '../../core/error.ts';
import type { Input } from '../run/input.ts';

/** A started effect that has not ended. */
export interface InFlight<Outcome = never> {
  readonly kind: 'model' | 'tool';
  readonly key: string;
  readonly abort: AbortController | LazyAbort;
  /** True after an abort because the engine closes: from then on only complete results count. */
  isClosing: boolean;
  /** Resolves when it has ended; set once it has started. */
  settled: Promise<void> | undefined;
  /** Returns the input that hands in its outcome. */
  ended(outcome: Outcome): Input;
  /** Returns the input that hands in a failure without an outcome. */
  failed(thrown: unknown): Input;
}

/** Resolves when all these effects have ended. */
export async function ended(effects: readonly InFlight[]): Promise<void> {
  for (const { settled } of effects) await settled;
}

/** True when an effect was aborted. */
export function isAborted(abort: InFlight['abort']): boolean {
  return abort instanceof LazyAbort ? abort.aborted : abort.signal.aborted;
}

/** Aborts an effect because the engine closes. */
export function abortForClose(effect: InFlight, error: CadreError): void {
  effect.isClosing = true;
  effect.abort.abort(error);
}

/** True for a complete reply, or a tool's result: worth recording, however late. */
export function isGood(input: Input): boolean {
  return (
    ((input.kind === 'model' || input.kind === 'title') && input.outcome.kind === 'reply') ||
    (input.kind === 'tool' && input.outcome.status === 'ok')
  );
}

/** Abort controller created on first access to its signal: most tools never read it. */
export class LazyAbort {
  #controller: AbortController | undefined;
  #aborted = false;
  #reason: unknown;
  /** Called on abort, whether the signal was read or not. */
  onAbort: (() => void) | undefined;

  get aborted(): boolean {
    return this.#aborted;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    this.onAbort?.();
  }
}
