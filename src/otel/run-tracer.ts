/**
 * Derives the spans of one run from its events.
 *
 * Owns: the spans that an event opens, ends or annotates. Does not own: names of attributes (span-attributes.ts).
 *
 * 1. Spans depend on events alone and carry their times: exporting a journal later yields the same trace.
 * 2. `invoke_workflow` > `invoke_agent` > `turn` > `chat`, `execute_tool`. An agent started by a call is a child of that call's span.
 * 3. A turn links to the spans that posted the items it read.
 * 4. Memory does not grow with the run: it holds open spans, and one context per unread item.
 */
import type { Attributes, Context, Link, Span, SpanContext, Tracer } from '@opentelemetry/api';
import { describeThrown, type ErrorRecord } from '../core/error.ts';
import type { CadreEvent, EventOf } from '../core/events/event.ts';
import { contentText } from '../core/prompt/message.ts';
import {
  agentAttributes,
  answeredCall,
  callAttributes,
  callEvent,
  decisionEvents,
  modelAttributes,
  observerEvents,
  otherEvents,
  type SpanEvent,
} from './span-attributes.ts';

/** The module `@opentelemetry/api`. */
export type Otel = typeof import('@opentelemetry/api');

/** Collaborators and settings of a `RunTracer`. */
export interface RunTracerParts {
  readonly otel: Otel;
  readonly tracer: Tracer;
  readonly content: boolean;
  readonly maxChars: number;
}

interface Open {
  readonly span: Span;
  readonly context: Context;
}

/** Exports one run; events must be added in order. */
export class RunTracer {
  readonly #parts: RunTracerParts;
  readonly #agents = new Map<string, Open>();
  readonly #turns = new Map<string, Open>();
  readonly #chats = new Map<string, Open>();
  readonly #calls = new Map<string, Open>();
  /** Span of each agent's last turn, for items it posts. */
  readonly #lastTurn = new Map<string, SpanContext>();
  /** Span that posted each unread item. */
  readonly #posted = new Map<string, SpanContext>();
  /** Spans of ended calls, until their results are posted. */
  readonly #answered = new Map<string, SpanContext>();
  #run: Open | undefined;
  #lastAt = 0;

  constructor(parts: RunTracerParts) {
    this.#parts = parts;
  }

  /** Adds the next event. */
  add(event: CadreEvent): void {
    this.#lastAt = event.at;
    switch (event.type) {
      case 'run.start':
        this.#run = this.#open(this.#parts.otel.ROOT_CONTEXT, `invoke_workflow ${event.profile}`, event.at, {
          'gen_ai.operation.name': 'invoke_workflow',
          'gen_ai.workflow.name': event.profile,
          'gen_ai.conversation.id': event.runId,
          'cadre.run.title': event.title,
        });
        break;
      case 'run.end':
        this.#close(this.#run, event.at, event.error, { 'cadre.run.status': event.status, 'cadre.outcome': event.outcome });
        this.#run = undefined;
        break;
      case 'agent.start':
        this.#startAgent(event);
        break;
      case 'agent.end':
        this.#close(this.#agents.get(event.agentId), event.at, event.error, { 'cadre.outcome': event.outcome });
        this.#agents.delete(event.agentId);
        this.#lastTurn.delete(event.agentId);
        break;
      case 'agent.restart':
        if (!this.#agents.has(event.agentId)) this.#openAgent(event.agentId, event.at, {}, this.#run);
        break;
      case 'inbox.add':
        this.#post(event);
        break;
      case 'inbox.drop':
        this.#posted.delete(event.itemId);
        break;
      case 'turn.start':
        this.#startTurn(event);
        break;
      case 'turn.end':
        this.#close(this.#chats.get(event.turnId), event.at, event.error);
        this.#chats.delete(event.turnId);
        this.#close(this.#turns.get(event.turnId), event.at, event.error, { 'cadre.turn.status': event.status });
        this.#turns.delete(event.turnId);
        break;
      case 'model.end':
        this.#endModel(event);
        break;
      case 'turn.decide':
        this.#note(this.#turns.get(event.turnId), event.at, [...observerEvents(event.observers), ...decisionEvents(event)]);
        break;
      case 'compaction.start': {
        const { agentId, compactionId, llmConfig } = event;
        const attributes = { 'gen_ai.operation.name': 'chat', 'cadre.purpose': 'compaction', 'cadre.llm_config': llmConfig };
        this.#chats.set(compactionId, this.#open(this.#contextOf(this.#agents.get(agentId)), 'chat', event.at, attributes));
        break;
      }
      case 'compaction.end':
        this.#close(this.#chats.get(event.compactionId), event.at, event.error, modelAttributes(event));
        this.#chats.delete(event.compactionId);
        break;
      case 'tool.request':
        this.#requestCall(event);
        break;
      case 'tool.end':
        this.#endCall(event);
        break;
      case 'tool.start':
      case 'tool.suspend':
      case 'tool.answer':
      case 'tool.verify':
        this.#note(this.#calls.get(event.callId), event.at, [callEvent(event)]);
        break;
      default:
        this.#note(this.#ownerOf(event), event.at, otherEvents(event));
    }
  }

  /** Ends all open spans: the run is over, or watching stopped. `thrown` marks them as failed. */
  end(thrown?: unknown): void {
    const error: ErrorRecord | undefined = thrown === undefined ? undefined : { code: 'INTERNAL', message: describeThrown(thrown) };
    for (const open of [this.#calls, this.#chats, this.#turns, this.#agents]) {
      for (const one of open.values()) this.#close(one, this.#lastAt, error);
      open.clear();
    }
    this.#close(this.#run, this.#lastAt, error);
    this.#run = undefined;
    this.#posted.clear();
    this.#answered.clear();
  }

  #startAgent(event: EventOf<'agent.start'>): void {
    const starter = event.callId === undefined ? undefined : this.#calls.get(event.callId);
    const parent = starter ?? (event.parentAgentId === undefined ? undefined : this.#agents.get(event.parentAgentId)) ?? this.#run;
    this.#openAgent(event.agentId, event.at, agentAttributes(event), parent, event.profile);
  }

  #openAgent(agentId: string, at: number, attributes: Attributes, parent: Open | undefined, profile = agentId): void {
    const all = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.id': agentId, ...attributes };
    this.#agents.set(agentId, this.#open(this.#contextOf(parent), `invoke_agent ${profile}`, at, all));
  }

  #startTurn(event: EventOf<'turn.start'>): void {
    const { agentId, turnId, inputs } = event;
    const links = inputs.flatMap(({ itemId, source }): readonly Link[] => {
      const context = this.#posted.get(itemId);
      this.#posted.delete(itemId);
      return context === undefined ? [] : [{ context, attributes: { 'cadre.item.id': itemId, 'cadre.item.source': source } }];
    });
    const attributes = {
      'gen_ai.agent.id': agentId,
      'cadre.turn.id': turnId,
      'cadre.turn.type': event.turnType,
      'cadre.turn.sources': inputs.map(({ source }) => source),
    };
    const turn = this.#open(this.#contextOf(this.#agents.get(agentId)), 'turn', event.at, attributes, links);
    this.#turns.set(turnId, turn);
    this.#lastTurn.set(agentId, turn.span.spanContext());
    this.#note(turn, event.at, observerEvents(event.observers));
    if (event.prompt === undefined) return;
    const read = this.#parts.content
      ? {
          'gen_ai.input.messages': this.#text(
            JSON.stringify(inputs.map(({ role, content }) => ({ role, content: contentText(content) }))),
          ),
        }
      : {};
    const chat = { 'gen_ai.operation.name': 'chat', 'gen_ai.conversation.id': event.runId, ...read };
    this.#chats.set(turnId, this.#open(turn.context, 'chat', event.at, chat, [], 'CLIENT'));
  }

  #endModel(event: EventOf<'model.end'>): void {
    const chat = this.#chats.get(event.turnId);
    if (chat === undefined) return;
    this.#chats.delete(event.turnId);
    const model = event.attempts.at(-1)?.model;
    if (model !== undefined) chat.span.updateName(`chat ${model}`);
    for (const { error, startedAt, ms, config } of event.attempts) {
      if (error === undefined) continue;
      const attributes = { 'error.type': error.code, 'cadre.error.message': this.#text(error.message), 'cadre.llm_config': config };
      this.#note(chat, startedAt + ms, [{ name: 'cadre.attempt.failed', attributes }]);
    }
    const { reply } = event;
    const said =
      this.#parts.content && reply !== undefined
        ? this.#text(JSON.stringify([{ role: 'assistant', content: reply.text }]))
        : undefined;
    this.#close(chat, event.at, event.error, {
      ...modelAttributes(event),
      ...(said === undefined ? {} : { 'gen_ai.output.messages': said }),
    });
  }

  #requestCall(event: EventOf<'tool.request'>): void {
    const attributes = {
      ...callAttributes(event),
      ...(this.#parts.content ? { 'gen_ai.tool.call.arguments': this.#text(JSON.stringify(event.args)) } : {}),
    };
    const parent = this.#turns.get(event.turnId) ?? this.#agents.get(event.agentId);
    this.#calls.set(event.callId, this.#open(this.#contextOf(parent), `execute_tool ${event.name}`, event.at, attributes));
  }

  #endCall(event: EventOf<'tool.end'>): void {
    const call = this.#calls.get(event.callId);
    this.#calls.delete(event.callId);
    if (call !== undefined) this.#answered.set(event.callId, call.span.spanContext());
    const failed =
      event.status === 'ok' ? undefined : (event.error ?? { code: event.status, message: `the call ended: ${event.status}` });
    const result = this.#parts.content ? { 'gen_ai.tool.call.result': this.#text(contentText(event.content)) } : {};
    this.#close(call, event.at, failed, { 'cadre.tool.status': event.status, ...result });
  }

  #post({ agentId, item }: EventOf<'inbox.add'>): void {
    const context = this.#posterOf(agentId, item);
    if (context !== undefined) this.#posted.set(item.itemId, context);
  }

  /** Returns the span that posted an item: the call it is the result of, or the last turn of the agent that posted it, also by a rule. */
  #posterOf(agentId: string, item: EventOf<'inbox.add'>['item']): SpanContext | undefined {
    const callId = item.source === 'TOOL_RESULT' ? answeredCall(item.payload) : undefined;
    const call = callId === undefined ? undefined : this.#answered.get(callId);
    if (callId !== undefined) this.#answered.delete(callId);
    const poster = item.from ?? (item.observerId === undefined && item.ruleId === undefined ? undefined : agentId);
    return call ?? (poster === undefined ? undefined : this.#lastTurn.get(poster));
  }

  #ownerOf(event: CadreEvent): Open | undefined {
    const agentId = 'agentId' in event ? event.agentId : undefined;
    return (agentId === undefined ? undefined : this.#agents.get(agentId)) ?? this.#run;
  }

  #open(
    parent: Context,
    name: string,
    at: number,
    attributes: Attributes,
    links: readonly Link[] = [],
    kind: 'INTERNAL' | 'CLIENT' = 'INTERNAL',
  ): Open {
    const { otel, tracer } = this.#parts;
    const span = tracer.startSpan(name, { startTime: at, kind: otel.SpanKind[kind], attributes, links: [...links] }, parent);
    return { span, context: otel.trace.setSpan(parent, span) };
  }

  #close(
    open: Open | undefined,
    at: number,
    error: { readonly code: string; readonly message: string } | undefined,
    attributes: Attributes = {},
  ): void {
    if (open === undefined) return;
    open.span.setAttributes(attributes);
    if (error !== undefined) {
      open.span.setAttribute('error.type', error.code);
      open.span.setStatus({ code: this.#parts.otel.SpanStatusCode.ERROR, message: this.#text(error.message) });
    }
    open.span.end(at);
  }

  #note(open: Open | undefined, at: number, events: readonly SpanEvent[]): void {
    for (const { name, attributes } of events) open?.span.addEvent(name, attributes, at);
  }

  #contextOf(open: Open | undefined): Context {
    return (open ?? this.#run)?.context ?? this.#parts.otel.ROOT_CONTEXT;
  }

  #text(text: string): string {
    return text.length <= this.#parts.maxChars ? text : `${text.slice(0, this.#parts.maxChars)}…`;
  }
}
