import { moduleChanges } from '../core/patches/module-changes.ts';
import type { Attributes } from '@opentelemetry/api';
import type { CadreEvent, EventOf } from '../core/events/event.ts';
import type { JsonValue } from '../core/json.ts';
import type { ModelAttempt } from '../core/model/model.ts';
import type { Use } from '../core/model/usage.ts';
import type { ObserverRecord } from '../core/state/turn.ts';
import { asName, errorType } from './names.ts';

/** Span event: name and attributes. */
export interface SpanEvent {
  readonly name: string;
  readonly attributes: Attributes;
}

/** Attributes with texts of people, models, tools and providers; empty unless content is exported. */
export type Words = (attributes: Readonly<Record<string, string | undefined>>) => Attributes;

/** Returns the attribute that names the person who did something; empty when no one is named. */
export function byAttribute({ by }: { readonly by?: string | undefined }): Attributes {
  return by === undefined ? {} : { 'cadre.by': by };
}

/** Returns the span attributes of an agent. */
export function agentAttributes(event: EventOf<'agent.start'>): Attributes {
  return defined({
    'gen_ai.agent.name': event.profile,
    'gen_ai.conversation.id': event.runId,
    'cadre.agent.type': event.profileType,
    'cadre.agent.depth': event.depth,
    'cadre.agent.parent': event.parentAgentId,
    'cadre.module.id': asName(event.moduleId),
  });
}

/** Returns the span attributes of a model call: model, usage, cost, finish reason. */
export function modelAttributes(event: EventOf<'model.end'> | EventOf<'compaction.end'>): Attributes {
  const { usage, attempts, cost } = event;
  const last = attempts.at(-1);
  const reply = event.type === 'model.end' ? event.reply : undefined;
  const provider = last?.model.includes('/') === true ? last.model.slice(0, last.model.indexOf('/')) : undefined;
  return defined({
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': last?.model,
    'gen_ai.response.model': asName(reply?.modelId),
    'gen_ai.response.finish_reasons': reply === undefined ? undefined : [asName(reply.finishReason) ?? 'other'],
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
    'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens,
    'cadre.cost.usd': cost,
    'cadre.llm_config': last?.config,
    'cadre.attempts': attempts.length,
    'cadre.first_token_ms': last?.firstTokenMs,
  });
}

/** Returns the attributes of what is charged for a model call until its attempts are known. */
export function estimateAttributes(estimate: Use | undefined): Attributes {
  if (estimate === undefined) return {};
  return { ...useAttributes(estimate), 'cadre.usage.estimated': true };
}

/** Returns span events of attempts without a reply that counts, with what they used; `call` names their call, where its span may be over. */
export function attemptEvents(
  attempts: readonly ModelAttempt[],
  words: Words,
  call?: string,
): readonly (SpanEvent & { readonly at: number })[] {
  return attempts
    .filter(({ error, usage }) => error !== undefined || usage !== undefined)
    .map(({ error, config, usage = {}, cost, startedAt, ms }) => ({
      name: error === undefined ? 'cadre.attempt.late' : 'cadre.attempt.failed',
      at: startedAt + ms,
      attributes: {
        ...(error === undefined ? {} : { 'error.type': errorType(error.code), ...words({ 'cadre.error.message': error.message }) }),
        ...defined({ 'cadre.llm_config': config, 'cadre.model_call': call }),
        ...useAttributes(cost === undefined ? { usage } : { usage, cost }),
      },
    }));
}

function useAttributes({ usage, cost }: Use): Attributes {
  return defined({
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'cadre.cost.usd': cost,
  });
}

/** Returns the span attributes of a tool call. */
export function callAttributes(event: EventOf<'tool.request'>): Attributes {
  return defined({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.id': event.callId,
    'gen_ai.agent.id': event.agentId,
  });
}

/** Returns span events of observers that fired or failed. */
export function observerEvents(observers: readonly ObserverRecord[]): readonly SpanEvent[] {
  return observers
    .filter(({ fired, error }) => fired || error !== undefined)
    .map(({ id, phase, fired, error }) => ({
      name: 'cadre.observer',
      attributes: defined({
        'cadre.observer.id': id,
        'cadre.observer.phase': phase,
        'cadre.observer.fired': fired,
        'error.type': error && errorType(error.code),
      }),
    }));
}

/** Returns span events of the flow rules evaluated, in order, and of the decision. */
export function decisionEvents({ rules, action }: EventOf<'turn.decide'>): readonly SpanEvent[] {
  return [
    ...rules.map(({ id, matched, error }) => ({
      name: 'cadre.rule',
      attributes: defined({ 'cadre.rule.id': id, 'cadre.rule.matched': matched, 'error.type': error && errorType(error.code) }),
    })),
    {
      name: 'cadre.decision',
      attributes: defined({ 'cadre.action': action.type, 'cadre.rule.id': action.ruleId, 'cadre.outcome': asName(action.outcome) }),
    },
  ];
}

/** Returns the span event of a call between its request and its end. */
export function callEvent(event: EventOf<'tool.start' | 'tool.suspend' | 'tool.answer' | 'tool.verify'>): SpanEvent {
  switch (event.type) {
    case 'tool.start':
      return { name: 'cadre.tool.start', attributes: { 'cadre.attempt': event.attempt } };
    case 'tool.suspend':
      return { name: 'cadre.tool.suspend', attributes: { 'cadre.waits_for': event.on.kind } };
    case 'tool.answer':
      return {
        name: 'cadre.tool.answer',
        attributes: {
          'cadre.verdict': event.verdict,
          'cadre.expired': event.expired === true,
          ...byAttribute(event),
        },
      };
    case 'tool.verify':
      return {
        name: 'cadre.tool.verify',
        attributes: defined({ 'cadre.verified_by': asName(event.by), 'cadre.answer': event.answer }),
      };
  }
}

/** Returns span events for the span of an agent or of the run; empty for events that only change state. */
export function otherEvents(event: CadreEvent, words: Words): readonly SpanEvent[] {
  switch (event.type) {
    case 'note.add':
      return [
        {
          name: 'cadre.note',
          attributes: {
            'cadre.note.code': errorType(event.code),
            'cadre.note.level': event.level,
            ...words({ 'cadre.note.message': event.message }),
          },
        },
      ];
    case 'limit.reach':
      return [{ name: 'cadre.limit', attributes: { 'cadre.limit.name': event.limit, 'cadre.limit.stage': event.stage } }];
    case 'stagnation.act':
      return [{ name: 'cadre.stagnation', attributes: { 'cadre.rung': event.rung, 'cadre.action': event.action } }];
    case 'agent.await':
      return event.checkpoint === undefined
        ? []
        : [{ name: 'cadre.checkpoint', attributes: { 'cadre.checkpoint.id': event.checkpoint.id } }];
    case 'run.resume':
      return [{ name: 'cadre.resume', attributes: { 'cadre.down_ms': event.downMs, ...byAttribute(event) } }];
    case 'profiles.update':
      return [{ name: 'cadre.profiles_update', attributes: byAttribute(event) }];
    case 'run.status':
      return [{ name: 'cadre.status', attributes: { 'cadre.run.status': event.status } }];
    case 'tool.late':
      return [
        {
          name: 'cadre.tool.late',
          attributes: { 'gen_ai.tool.call.id': event.callId, 'cadre.tool.status': event.status },
        },
      ];
    case 'state.patch':
    case 'module.update':
      return moduleChanges(event).flatMap(({ moduleId, fields: { status } }) =>
        status === undefined
          ? []
          : [
              {
                name: 'cadre.module',
                attributes: defined({ 'cadre.module.id': asName(moduleId), 'cadre.module.status': asName(status) }),
              },
            ],
      );
    default:
      return [];
  }
}

/** Returns the id of the call that a `TOOL_RESULT` item answers. */
export function answeredCall(payload: JsonValue): string | undefined {
  if (typeof payload !== 'object' || payload === null || !('tool_call_id' in payload)) return undefined;
  const { tool_call_id: callId } = payload;
  return typeof callId === 'string' ? callId : undefined;
}

function defined(attributes: Readonly<Record<string, Attributes[string]>>): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
