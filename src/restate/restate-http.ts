import { setTimeout as pause } from 'node:timers/promises';
import { CadreError, describeThrown } from '../core/error.ts';
import type { JsonValue } from '../core/json.ts';
import type { RestatePlace } from './restate-options.ts';

/** Milliseconds between two tries while Restate does not answer: at first, and at most. */
const firstPauseMs = 50;
const longestPauseMs = 2_000;
/** Milliseconds of one try of a patient request. If the answer takes longer, the connection may be silent: it is asked for again, over another one. */
const longestTryMs = 5_000;

/** One request. */
export interface RestateRequest {
  readonly to: 'ingress' | 'admin';
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  readonly body?: JsonValue;
  /** The same key is the same request: an answer that was lost is asked for again. */
  readonly key?: string;
  /** Milliseconds for all tries together. */
  readonly withinMs: number;
  /** Tries again while Restate does not answer. Needs a `key`: the tries are one request. */
  readonly isPatient?: boolean;
  /** What is wanted, for messages: `delivering an input`. */
  readonly doing: string;
}

/** An answer. */
export interface RestateAnswer {
  readonly status: number;
  readonly text: string;
}

/** Requests to one Restate. Throws RUNTIME_FAILED when it does not answer in time. */
export class RestateHttp {
  readonly #place: RestatePlace;

  constructor(place: RestatePlace) {
    this.#place = place;
  }

  async send(request: RestateRequest): Promise<RestateAnswer> {
    const until = performance.now() + request.withinMs;
    for (let wait = firstPauseMs; ; wait = Math.min(2 * wait, longestPauseMs)) {
      try {
        const left = until - performance.now();
        const answer = await this.#try(request, request.isPatient === true ? Math.min(left, longestTryMs) : left);
        // Restate is there, and cannot take requests yet, or not now.
        if (answer.status < 500 || request.isPatient !== true) return answer;
        if (performance.now() + wait > until)
          throw this.failure(request, `it answered ${answer.status}: ${answer.text.slice(0, 500)}`);
      } catch (thrown) {
        if (thrown instanceof CadreError) throw thrown;
        const isLate = performance.now() + wait > until;
        if (request.isPatient !== true || isLate) throw this.failure(request, whyUnreachable(thrown));
      }
      await pause(wait);
    }
  }

  /** Returns the error for a request that failed. */
  failure({ to, doing }: Pick<RestateRequest, 'to' | 'doing'>, why: string): CadreError {
    const url = this.#place[to];
    const message = `Restate at ${url}: ${doing} failed: ${why}. Check that Restate runs, and that ${url} is its ${to === 'admin' ? 'admin API' : 'ingress'}`;
    return new CadreError('RUNTIME_FAILED', message, { details: { url } });
  }

  async #try({ to, path, method = 'POST', body, key }: RestateRequest, ms: number): Promise<RestateAnswer> {
    const { token } = this.#place;
    const response = await fetch(`${this.#place[to]}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(Math.max(1, Math.ceil(ms))),
    });
    return { status: response.status, text: await response.text() };
  }
}

function whyUnreachable(thrown: unknown): string {
  if (thrown instanceof Error && thrown.name === 'TimeoutError') return 'it did not answer in time';
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return code === 'ECONNREFUSED' ? 'nothing listens there' : describeThrown(cause);
}
