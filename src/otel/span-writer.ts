import type { Attributes, Context, Link, Span, Tracer } from '@opentelemetry/api';
import { errorType } from './names.ts';
import type { SpanEvent } from './span-attributes.ts';
import { type SpanIds, spanIds } from './span-ids.ts';

/** The module `@opentelemetry/api`. */
export type Otel = typeof import('@opentelemetry/api');

/** Span that has not ended, with the context of its children. */
export interface OpenSpan {
  readonly span: Span;
  readonly context: Context;
}

/** Settings of a span to open; `at` is wall time in milliseconds since 1970. */
export interface NewSpan {
  readonly parent: Context;
  readonly ids: SpanIds;
  readonly name: string;
  readonly at: number;
  readonly attributes: Attributes;
  readonly links?: readonly Link[];
  readonly kind?: 'INTERNAL' | 'CLIENT';
}

/** End of a span: its time, its error if it failed, and final attributes. */
interface SpanEnd {
  readonly at: number;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  readonly attributes?: Attributes;
}

/** Opens, annotates and ends spans of one tracer. */
export class SpanWriter {
  readonly #otel: Otel;
  readonly #tracer: Tracer;
  readonly #maxChars: number;
  /** True when spans also hold what people, models, tools and providers said. */
  readonly #hasContent: boolean;

  /** `maxChars` is the maximum length of a text attribute; `content` also exports what people, models, tools and providers said. */
  constructor(parts: { readonly otel: Otel; readonly tracer: Tracer; readonly maxChars: number; readonly content: boolean }) {
    this.#otel = parts.otel;
    this.#tracer = parts.tracer;
    this.#maxChars = parts.maxChars;
    this.#hasContent = parts.content;
  }

  /** Context of spans without a parent. */
  get root(): Context {
    return this.#otel.ROOT_CONTEXT;
  }

  /** Starts a span. */
  open({ parent, ids, name, at, attributes, links = [], kind = 'INTERNAL' }: NewSpan): OpenSpan {
    const options = { startTime: at, kind: this.#otel.SpanKind[kind], attributes, links: [...links] };
    const span = spanIds.give(ids, () => this.#tracer.startSpan(name, options, parent));
    return { span, context: this.#otel.trace.setSpan(parent, span) };
  }

  /** Ends a span, if there is one. */
  close(open: OpenSpan | undefined, { at, error, attributes = {} }: SpanEnd): void {
    if (open === undefined) return;
    open.span.setAttributes(attributes);
    if (error !== undefined) {
      open.span.setAttribute('error.type', errorType(error.code));
      const [message] = Object.values(this.words({ message: error.message }));
      open.span.setStatus({ code: this.#otel.SpanStatusCode.ERROR, ...(typeof message === 'string' ? { message } : {}) });
    }
    open.span.end(at);
  }

  /** Adds events to a span, if there is one. */
  note(open: OpenSpan | undefined, at: number, events: readonly SpanEvent[]): void {
    for (const { name, attributes } of events) open?.span.addEvent(name, attributes, at);
  }

  /**
   * Attributes with texts of people, models, tools and providers. They are cut to the maximum length, and left out unless
   * content is exported. Every such text goes through here.
   */
  words(attributes: Readonly<Record<string, string | undefined>>): Attributes {
    if (!this.#hasContent) return {};
    return Object.fromEntries(
      Object.entries(attributes).flatMap(([name, text]) => (text === undefined ? [] : [[name, this.#cut(text)] as const])),
    );
  }

  #cut(text: string): string {
    return text.length <= this.#maxChars ? text : `${text.slice(0, this.#maxChars)}…`;
  }
}
