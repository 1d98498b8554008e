import type { Tracer, TracerProvider } from '@opentelemetry/api';
import type { AroundCall } from '../core/tool/around-call.ts';
import { CadreError } from '../core/error.ts';
import type { CadreEvent } from '../core/events/event.ts';
import { RunTracer } from './run-tracer.ts';
import { idsOf } from './span-ids.ts';
import { SpanWriter, type Otel } from './span-writer.ts';

export { spanIds } from './span-ids.ts';

/** Options of `createTelemetry`. */
export interface TelemetryOptions {
  /** Provider that receives the spans; default: the one registered with `@opentelemetry/api`. */
  readonly tracerProvider?: TracerProvider;
  /**
   * Also exports what people, models, tools and providers said: titles, prompts, replies, arguments, results, and the messages of errors and
   * notes. False by default: spans then hold names, codes and numbers.
   */
  readonly content?: boolean;
  /** Maximum length of a text attribute, in characters; longer ones are cut. 16,384 by default. */
  readonly maxChars?: number;
}

/** Source of a run's events: from the first on, then live ones until it ends. */
export interface TracedRun {
  events(options: { readonly signal: AbortSignal }): AsyncIterable<CadreEvent>;
}

/** Exports runs as OpenTelemetry spans. */
export interface Telemetry {
  /**
   * Follows a run from its first event until it ends or the returned function is called; open spans are ended then. Reads behind the run
   * and never blocks it. A resumed run is exported in full, as one trace.
   */
  watch(run: TracedRun): () => void;
  /** Exports a run from its journal. */
  export(events: readonly CadreEvent[]): void;
  /**
   * For `createEngine({ aroundCall })`: spans that the code of tools and models starts are children of the call's span, whichever process
   * exports that. Needs a provider with `spanIds`, and a context manager, as the SDK registers.
   */
  readonly aroundCall: AroundCall;
}

/**
 * Creates telemetry: spans named by OpenTelemetry's GenAI conventions, `invoke_workflow` > `invoke_agent` > `turn` > `chat` and
 * `execute_tool`, derived from a run's events alone. Needs `@opentelemetry/api` 1.9; fails with DEPENDENCY_MISSING without it.
 */
export async function createTelemetry(options: TelemetryOptions = {}): Promise<Telemetry> {
  const otel = await loadApi();
  const tracer: Tracer = (options.tracerProvider ?? otel.trace).getTracer('cadre');
  const spans = new SpanWriter({ otel, tracer, maxChars: options.maxChars ?? 16_384, content: options.content === true });
  const trace = (): RunTracer => new RunTracer(spans);
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
    aroundCall: ({ runId, turnId, toolCallId }, work) => {
      const { context, trace: traces, TraceFlags } = otel;
      const ids = idsOf(runId, toolCallId === undefined ? `chat ${turnId}` : `call ${toolCallId}`);
      const span = { ...ids, traceFlags: TraceFlags.SAMPLED, isRemote: true };
      return context.with(traces.setSpanContext(context.active(), span), work);
    },
  };
}

async function follow(run: TracedRun, tracer: RunTracer, signal: AbortSignal): Promise<void> {
  try {
    for await (const event of run.events({ signal })) tracer.add(event);
    tracer.end();
  } catch (thrown) {
    // The run failed in this process; its spans record the error.
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
