import { AsyncLocalStorage } from 'node:async_hooks';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { context, type Context, type ContextManager, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { BasicTracerProvider, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { createTelemetry, spanIds, type Telemetry } from '../../../src/otel/create-telemetry.ts';
import type { EffectTool } from '../../../src/core/tool/tool.ts';

/** A span as a process wrote it. */
export interface WrittenSpan {
  readonly name: string;
  readonly pid: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parent: string | undefined;
}

/** Keeps the context through asynchronous work, as the SDK's own does. */
class Contexts implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();

  active(): Context {
    return this.#storage.getStore() ?? ROOT_CONTEXT;
  }

  with<Args extends unknown[], Result>(
    within: Context,
    work: (...args: Args) => Result,
    thisArg?: ThisParameterType<typeof work>,
    ...args: Args
  ): Result {
    return this.#storage.run(within, () => work.call(thisArg, ...args));
  }

  bind<T>(_within: Context, target: T): T {
    return target;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    return this;
  }
}

/** Sets this process up for OpenTelemetry as a program would; its spans go to a file. */
export async function traceInto(file: string): Promise<Telemetry> {
  const write = (span: ReadableSpan): void => {
    const { traceId, spanId } = span.spanContext();
    const line: WrittenSpan = { name: span.name, pid: process.pid, traceId, spanId, parent: span.parentSpanContext?.spanId };
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  };
  const exporter = {
    export: (spans: readonly ReadableSpan[], done: (result: { readonly code: number }) => void): void => {
      for (const span of spans) write(span);
      done({ code: 0 });
    },
    shutdown: () => Promise.resolve(),
  };
  const tracerProvider = new BasicTracerProvider({ idGenerator: spanIds, spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(tracerProvider);
  context.setGlobalContextManager(new Contexts());
  return await createTelemetry();
}

/** Returns tools whose code makes spans of its own. */
export function tracedTools(tools: readonly EffectTool[]): readonly EffectTool[] {
  const tracer = trace.getTracer('test');
  return tools.map((tool): EffectTool => {
    const execute: EffectTool['execute'] = async (args, context) =>
      await tracer.startActiveSpan(`own ${tool.name}`, async (span) => {
        try {
          return await tool.execute(args, context);
        } finally {
          tracer.startSpan('deeper').end();
          span.end();
        }
      });
    return Object.assign(Object.create(tool) as EffectTool, { execute });
  });
}

export function readSpans(file: string): readonly WrittenSpan[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as WrittenSpan);
}
