import type { EventOf } from '../../core/events/event.ts';
import type { AgentId } from '../../core/ids.ts';
import type { AttemptVerdict, FurtherAttempt, ModelRequest } from '../../core/model/model.ts';
import type { Input } from '../run/input.ts';

/**
 * Questions of model calls in flight about their next attempts: each is an input of the run, and the event that its decision commits is
 * the answer. A call that is aborted meanwhile gets no attempt.
 */
export class AttemptQuestions {
  readonly #waiting = new Map<string, (verdict: AttemptVerdict) => void>();
  readonly #tell: (input: Input) => void;

  constructor(tell: (input: Input) => void) {
    this.#tell = tell;
  }

  /** Returns how a call asks. */
  of(agentId: AgentId, call: string, signal: AbortSignal): NonNullable<ModelRequest['mayTry']> {
    return (further) => this.#ask({ agentId, call, ...further }, signal);
  }

  /** Answers the call that an event is about. */
  answer({ call, reserve, error }: EventOf<'model.reserve'>): void {
    const resolve = this.#waiting.get(call);
    if (resolve === undefined) return;
    this.#waiting.delete(call);
    if (error !== undefined) resolve({ kind: 'refused', error });
    else resolve(reserve?.output === undefined ? allowed : { kind: 'allowed', maxOutputTokens: reserve.output });
  }

  #ask(
    question: FurtherAttempt & { readonly agentId: AgentId; readonly call: string },
    signal: AbortSignal,
  ): Promise<AttemptVerdict> {
    const { promise, resolve } = Promise.withResolvers<AttemptVerdict>();
    const { call } = question;
    const abort = (): void => {
      this.#waiting.delete(call);
      resolve(allowed);
    };
    this.#waiting.set(call, (verdict) => {
      signal.removeEventListener('abort', abort);
      resolve(verdict);
    });
    signal.addEventListener('abort', abort, { once: true });
    this.#tell({ kind: 'attempt', ...question });
    if (signal.aborted) abort();
    return promise;
  }
}

// The attempt of a call that is aborted ends before it begins.
const allowed: AttemptVerdict = { kind: 'allowed' };
