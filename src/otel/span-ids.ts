import { createHash, randomBytes } from 'node:crypto';

/** Ids of a span. */
export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

/**
 * Returns the ids of a span of a run, which follow from the run and the name of the span in it: the same in each process that exports it.
 *
 * @param name `run`, `turn t1`, `chat t1`, `call c1`
 */
export function idsOf(runId: string, name: string): SpanIds {
  return { traceId: hashOf(`trace ${runId}`).slice(0, 32), spanId: hashOf(`span ${runId} ${name}`).slice(0, 16) };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Gives the spans of runs their own ids, and all other spans random ones. */
class RunSpanIds {
  #next: SpanIds | undefined;

  readonly generateTraceId = (): string => this.#next?.traceId ?? randomBytes(16).toString('hex');

  readonly generateSpanId = (): string => this.#next?.spanId ?? randomBytes(8).toString('hex');

  /** Starts a span with these ids. */
  give<T>(ids: SpanIds, start: () => T): T {
    this.#next = ids;
    try {
      return start();
    } finally {
      this.#next = undefined;
    }
  }
}

/**
 * Generator of ids for a tracer provider (`idGenerator`): with it, all processes that export a run give its spans the same ids, so that the
 * run is one trace, and calls on workers find their parents. Spans of anything else get random ids.
 */
export const spanIds = new RunSpanIds();
