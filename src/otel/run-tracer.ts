/**
 * Derives the spans of one run from its events.
 *
 * Owns: the spans that an event opens, ends or annotates. Does not own: names of attributes (span-attributes.ts).
 *
 * 1. Spans depend on events alone and carry their times: exporting a journal later yields the same trace, with a provider that has `spanIds`
 *    also under the same ids.
 * 2. `invoke_workflow` > `invoke_agent` > `turn` > `chat`, `execute_tool`. An agent started by a call is a child of that call's span.
 * 3. A turn links to the spans that posted the items it read.
 * 4. Memory does not grow with the run: it holds open spans, and one context per unread item.
 */
import type { Context, SpanContext } from '@opentelemetry/api';
import { describeThrown, type ErrorRecord } from '../core/error.ts';
import type { CadreEvent, EventOf } from '../core/events/event.ts';
import type { ModelAttempt } from '../core/model/model.ts';
import { contentText } from '../core/prompt/message.ts';
import {
  agentAttributes,
  byAttribute,
  answeredCall,
  attemptEvents,
  callAttributes,
  callEvent,
  decisionEvents,
  estimateAttributes,
  modelAttributes,
  observerEvents,
  otherEvents,
} from './span-attributes.ts';
import { OpenCalls } from './open-calls.ts';
import { idsOf } from './span-ids.ts';
import { asName } from './names.ts';
import type { NewSpan, OpenSpan, SpanWriter } from './span-writer.ts';
import { UnreadItems } from './unread-items.ts';

/** Settings of an agent's span. */
interface AgentSpan extends Pick<NewSpan, 'at' | 'attributes'> {
  readonly seq: number;
  readonly agentId: string;
  readonly profile: string;
  readonly parent: OpenSpan | undefined;
}

/** Exports one run; events must be added in order. */
export class RunTracer {
  readonly #spans: SpanWriter;
  readonly #agents = new Map<string, OpenSpan>();
  readonly #turns = new Map<string, OpenSpan>();
  readonly #chats = new Map<string, OpenSpan>();
  readonly #calls = new OpenCalls();
  /** Span of each agent's last turn, for items it posts. */
  readonly #lastTurn = new Map<string, SpanContext>();
  readonly #unread = new UnreadItems();
  /** Spans of ended calls, until their results are posted. */
  readonly #answered = new Map<string, SpanContext>();
  #run: OpenSpan | undefined;
  #runId = '';
  #lastAt = 0;

  constructor(spans: SpanWriter) {
    this.#spans = spans;
  }

  /** Adds the next event. */
  add(event: CadreEvent): void {
    this.#lastAt = event.at;
    switch (event.type) {
      case 'run.start':
        return this.#startRun(event);
      case 'run.end':
        return this.#endRun(event);
      case 'agent.start':
        return this.#startAgent(event);
      case 'agent.restart':
        return this.#restartAgent(event);
      case 'agent.end':
        return this.#endAgent(event);
      case 'inbox.add':
        return this.#post(event);
      case 'inbox.drop':
        return this.#unread.drop(event.itemId);
      case 'turn.start':
        return this.#startTurn(event);
      case 'turn.decide':
        return this.#spans.note(this.#turns.get(event.turnId), event.at, [
          ...observerEvents(event.observers),
          ...decisionEvents(event),
        ]);
      case 'turn.end':
        return this.#endTurn(event);
      case 'model.reserve':
        return this.#noteAttempts(this.#chats.get(event.call) ?? this.#ownerOf(event), event.attempts, event.call);
      case 'model.end':
        return this.#endModel(event);
      case 'compaction.start':
        return this.#startCompaction(event);
      case 'compaction.end':
        return this.#endCompaction(event);
      case 'tool.request':
        return this.#requestCall(event);
      case 'tool.start':
      case 'tool.suspend':
      case 'tool.answer':
      case 'tool.verify':
        this.#calls.name(event.callId);
        return this.#spans.note(this.#calls.get(event.callId), event.at, [callEvent(event)]);
      case 'tool.end':
        return this.#endCall(event);
      default:
        this.#spans.note(
          this.#ownerOf(event),
          event.at,
          otherEvents(event, (attributes) => this.#spans.words(attributes)),
        );
    }
  }

  /** Ends all open spans: the run is over, or watching stopped. `thrown` marks them as failed. */
  end(thrown?: unknown): void {
    const error: ErrorRecord | undefined = thrown === undefined ? undefined : { code: 'INTERNAL', message: describeThrown(thrown) };
    for (const open of [this.#calls, this.#chats, this.#turns, this.#agents]) {
      for (const one of open.values()) this.#spans.close(one, { at: this.#lastAt, error });
      open.clear();
    }
    this.#spans.close(this.#run, { at: this.#lastAt, error });
    this.#run = undefined;
    this.#unread.clear();
    this.#answered.clear();
  }

  #startRun(event: EventOf<'run.start'>): void {
    const { at, profile, runId, title } = event;
    const attributes = {
      'gen_ai.operation.name': 'invoke_workflow',
      'gen_ai.workflow.name': profile,
      'gen_ai.conversation.id': runId,
      ...this.#spans.words({ 'cadre.run.title': title }),
      ...byAttribute(event),
    };
    this.#runId = runId;
    this.#run = this.#open('run', { parent: this.#spans.root, name: `invoke_workflow ${profile}`, at, attributes });
  }

  #endRun({ at, error, status, outcome, by }: EventOf<'run.end'>): void {
    const attributes = { 'cadre.run.status': status, 'cadre.outcome': asName(outcome) ?? 'other' };
    const ended = by === undefined ? attributes : { ...attributes, 'cadre.ended_by': by };
    this.#spans.close(this.#run, { at, error, attributes: ended });
    this.#run = undefined;
  }

  #startAgent(event: EventOf<'agent.start'>): void {
    const starter = event.callId === undefined ? undefined : this.#calls.get(event.callId);
    const parent = starter ?? (event.parentAgentId === undefined ? undefined : this.#agents.get(event.parentAgentId)) ?? this.#run;
    this.#openAgent({ ...event, attributes: agentAttributes(event), parent });
  }

  #restartAgent({ agentId, at, seq }: EventOf<'agent.restart'>): void {
    if (!this.#agents.has(agentId)) this.#openAgent({ agentId, at, seq, profile: agentId, attributes: {}, parent: this.#run });
  }

  #endAgent(event: EventOf<'agent.end'>): void {
    const { agentId, at, error, outcome } = event;
    this.#spans.close(this.#agents.get(agentId), {
      at,
      error,
      attributes: {
        'cadre.outcome': asName(outcome) ?? 'other',
        ...(event.by === undefined ? {} : { 'cadre.ended_by': event.by }),
      },
    });
    this.#agents.delete(agentId);
    this.#lastTurn.delete(agentId);
  }

  #openAgent({ agentId, at, seq, profile, attributes, parent }: AgentSpan): void {
    const all = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.id': agentId, ...attributes };
    this.#agents.set(
      agentId,
      this.#open(`agent ${agentId} ${seq}`, {
        parent: this.#contextOf(parent),
        name: `invoke_agent ${profile}`,
        at,
        attributes: all,
      }),
    );
  }

  #startTurn(event: EventOf<'turn.start'>): void {
    const { agentId, turnId, inputs } = event;
    const { links, people } = this.#unread.take(inputs);
    const attributes = {
      'gen_ai.agent.id': agentId,
      'cadre.turn.id': turnId,
      'cadre.turn.type': event.turnType,
      'cadre.turn.sources': inputs.map(({ source }) => source),
      ...people,
    };
    const parent = this.#contextOf(this.#agents.get(agentId));
    const turn = this.#open(`turn ${turnId}`, { parent, name: 'turn', at: event.at, attributes, links });
    this.#turns.set(turnId, turn);
    this.#lastTurn.set(agentId, turn.span.spanContext());
    this.#spans.note(turn, event.at, observerEvents(event.observers));
    if (event.prompt === undefined) return;
    const read = this.#spans.words({
      'gen_ai.input.messages': JSON.stringify(inputs.map(({ role, content }) => ({ role, content: contentText(content) }))),
    });
    const chat = { 'gen_ai.operation.name': 'chat', 'gen_ai.conversation.id': event.runId, ...read };
    this.#chats.set(
      turnId,
      this.#open(`chat ${turnId}`, { parent: turn.context, name: 'chat', at: event.at, attributes: chat, kind: 'CLIENT' }),
    );
  }

  #endTurn({ turnId, at, error, status, estimate }: EventOf<'turn.end'>): void {
    this.#spans.close(this.#chats.get(turnId), { at, error, attributes: estimateAttributes(estimate) });
    this.#chats.delete(turnId);
    this.#spans.close(this.#turns.get(turnId), { at, error, attributes: { 'cadre.turn.status': status } });
    this.#turns.delete(turnId);
  }

  #endModel(event: EventOf<'model.end'>): void {
    const chat = this.#chats.get(event.turnId);
    if (chat === undefined) return;
    this.#chats.delete(event.turnId);
    const model = event.attempts.at(-1)?.model;
    if (model !== undefined) chat.span.updateName(`chat ${model}`);
    this.#noteAttempts(chat, event.attempts.slice(event.charged ?? 0));
    const said = event.reply && JSON.stringify([{ role: 'assistant', content: event.reply.text }]);
    const attributes = { ...modelAttributes(event), ...this.#spans.words({ 'gen_ai.output.messages': said }) };
    this.#spans.close(chat, { at: event.at, error: event.error, attributes });
  }

  #noteAttempts(span: OpenSpan | undefined, attempts: readonly ModelAttempt[], call?: string): void {
    for (const { at, ...event } of attemptEvents(attempts, (words) => this.#spans.words(words), call))
      this.#spans.note(span, at, [event]);
  }

  #startCompaction({ agentId, compactionId, at, llmConfig }: EventOf<'compaction.start'>): void {
    const attributes = { 'gen_ai.operation.name': 'chat', 'cadre.purpose': 'compaction', 'cadre.llm_config': llmConfig };
    const parent = this.#contextOf(this.#agents.get(agentId));
    this.#chats.set(compactionId, this.#open(`chat ${compactionId}`, { parent, name: 'chat', at, attributes }));
  }

  #endCompaction(event: EventOf<'compaction.end'>): void {
    this.#spans.close(this.#chats.get(event.compactionId), {
      at: event.at,
      error: event.error,
      attributes: modelAttributes(event),
    });
    this.#chats.delete(event.compactionId);
  }

  #requestCall(event: EventOf<'tool.request'>): void {
    const attributes = {
      ...callAttributes(event),
      ...this.#spans.words({ 'gen_ai.tool.call.arguments': JSON.stringify(event.args) }),
    };
    const parent = this.#contextOf(this.#turns.get(event.turnId) ?? this.#agents.get(event.agentId));
    const open = this.#open(`call ${event.callId}`, { parent, name: 'execute_tool', at: event.at, attributes });
    this.#calls.add(event.callId, event.name, open);
  }

  #endCall(event: EventOf<'tool.end'>): void {
    if (event.status === 'ok') this.#calls.name(event.callId);
    const call = this.#calls.take(event.callId);
    if (call === undefined) return;
    this.#answered.set(event.callId, call.span.span.spanContext());
    const failed =
      event.status === 'ok' ? undefined : (event.error ?? { code: event.status, message: `the call ended: ${event.status}` });
    const said = this.#spans.words({ 'gen_ai.tool.name': call.tool, 'gen_ai.tool.call.result': contentText(event.content) });
    this.#spans.close(call.span, { at: event.at, error: failed, attributes: { 'cadre.tool.status': event.status, ...said } });
  }

  #post({ agentId, item }: EventOf<'inbox.add'>): void {
    this.#unread.add(item.itemId, { context: this.#posterOf(agentId, item), by: item.by });
  }

  /** Returns the span that posted an item: the call it is the result of, or the last turn of the agent that posted it, also by a rule. */
  #posterOf(agentId: string, item: EventOf<'inbox.add'>['item']): SpanContext | undefined {
    const callId = item.source === 'TOOL_RESULT' ? answeredCall(item.payload) : undefined;
    const call = callId === undefined ? undefined : this.#answered.get(callId);
    if (callId !== undefined) this.#answered.delete(callId);
    const poster = item.from ?? (item.observerId === undefined && item.ruleId === undefined ? undefined : agentId);
    return call ?? (poster === undefined ? undefined : this.#lastTurn.get(poster));
  }

  #ownerOf(event: CadreEvent): OpenSpan | undefined {
    const agentId = 'agentId' in event ? event.agentId : undefined;
    return (agentId === undefined ? undefined : this.#agents.get(agentId)) ?? this.#run;
  }

  /** Opens a span by its name in the run. */
  #open(id: string, span: Omit<NewSpan, 'ids'>): OpenSpan {
    return this.#spans.open({ ...span, ids: idsOf(this.#runId, id) });
  }

  #contextOf(open: OpenSpan | undefined): Context {
    return (open ?? this.#run)?.context ?? this.#spans.root;
  }
}
