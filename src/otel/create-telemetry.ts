import type { Tracer, TracerProvider } from '@opentelemetry/api';
import { CadreError } from '../core/error.ts';
import type { CadreEvent } from '../core/events/event.ts';
import { RunTracer, type Otel } from './run-tracer.ts';

/** What telemetry is made with. */
export interface TelemetryOptions {
  /** Where spans go; the provider that is registered with `@opentelemetry/api` unless given. */
  readonly tracerProvider?: TracerProvider;
  /** Also export prompts, replies, arguments and results. They stay out unless asked for. */
  readonly content?: boolean;
  /** Longest text in an attribute, in characters; more is cut. 16,384 by default. */
  readonly maxChars?: number;
}

/** A run as telemetry reads it: its events from the first on, then live ones, until it ends. */
export interface TracedRun {
  events(options: { readonly signal: AbortSignal }): AsyncIterable<CadreEvent>;
}

/** Turns journals into OpenTelemetry spans. */
export interface Telemetry {
  /**
   * Follows a run from its first event until it ends, or the returned function is called; what is open then is ended. It
   * reads behind the run and never holds it up. A run that was taken up again is exported whole, as one trace.
   */
  watch(run: TracedRun): () => void;
  /** Exports a run from its journal. */
  export(events: readonly CadreEvent[]): void;
}

/**
 * Creates telemetry: spans in the names of OpenTelemetry's GenAI conventions, `invoke_workflow` > `invoke_agent` > `turn` >
 * `chat` and `execute_tool`, made from a run's events alone. Needs `@opentelemetry/api`, 1.9.
 */
export async function createTelemetry(options: TelemetryOptions = {}): Promise<Telemetry> {
  const otel = await loadApi();
  const tracer: Tracer = (options.tracerProvider ?? otel.trace).getTracer('cadre');
  const trace = (): RunTracer =>
    new RunTracer({ otel, tracer, content: options.content === true, maxChars: options.maxChars ?? 16_384 });
  return {
    watch: (run) => {
      const stop = new AbortController();
      void follow(run, trace(), stop.signal);
      return () => stop.abort();
    },
    export: (events) => {
      const run = trace();
      for (const event of events) run.add(event);
      run.end();
    },
  };
}

async function follow(run: TracedRun, tracer: RunTracer, signal: AbortSignal): Promise<void> {
  try {
    for await (const event of run.events({ signal })) tracer.add(event);
    tracer.end();
  } catch (thrown) {
    // The run cannot go on in this process; what its spans say of that is all that can be done here.
    tracer.end(thrown);
  }
}

async function loadApi(): Promise<Otel> {
  try {
    return await import('@opentelemetry/api');
  } catch (thrown) {
    throw new CadreError(
      'DEPENDENCY_MISSING',
      'cadre/otel needs the package @opentelemetry/api, which is not installed; install it with: npm install @opentelemetry/api@1.9',
      { cause: thrown },
    );
  }
}
