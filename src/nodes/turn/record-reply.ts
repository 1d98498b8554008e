import type { TurnContext } from '../../core/turn-context.ts';
import { emptyPlace, type PlaceableDraft } from '../../core/events/event.ts';
import { wireIdOf } from '../../core/fold/reply-message.ts';
import { wholeUse } from '../../core/fold/charge.ts';
import { callIdAt } from '../../core/fold/tool.ts';
import type { TurnId } from '../../core/ids.ts';
import type { TurnPlan } from '../../core/profile/turn-plan.ts';
import type { Writable } from '../../core/json.ts';
import type { ModelOutcome, ModelReply } from '../../core/model/model.ts';
import type { ModelEnd } from '../../core/events/turn-events.ts';
import type { ReplyToolCall } from '../../core/state/turn.ts';
import { shownReply } from '../inbox/truncate-input.ts';

/** Puts the outcome of a model call on the record. */
export function recordReply(context: TurnContext, plan: TurnPlan, turnId: TurnId, outcome: ModelOutcome): void {
  const { tx, agent } = context;
  // The cause of what a turn's model call brings is the turn's first event.
  tx.cause = tx.run.turns.get(turnId)?.start.seq;
  const { usage, cost, attempts, charged } = wholeUse(tx.run, turnId, outcome);
  const end: PlaceableDraft<ModelEnd> = {
    type: 'model.end',
    agentId: agent.meta.agentId,
    turnId,
    usage,
    attempts,
    runId: emptyPlace.runId,
    seq: emptyPlace.seq,
    at: emptyPlace.at,
    cause: emptyPlace.cause,
  };
  if (cost !== undefined) end.cost = cost;
  if (charged !== undefined) end.charged = charged;
  if (outcome.taint !== undefined && outcome.taint.length > 0) end.taint = outcome.taint;
  if (outcome.kind === 'error') end.error = outcome.error;
  else end.reply = recordedReply(context, plan, outcome.reply);
  tx.emit(end);
  tx.cause = tx.run.seq;
}

function recordedReply(context: TurnContext, plan: TurnPlan, reply: ModelReply): NonNullable<ModelEnd['reply']> {
  const recorded: Writable<NonNullable<ModelEnd['reply']>> = {
    text: reply.text,
    reasoning: reply.reasoning,
    toolCalls: reply.toolCalls.length === 0 ? [] : withCallIds(context, reply),
    finishReason: reply.finishReason,
  };
  const shown = plan.cuts ? shownReply(reply.text, context.profile.contextPolicy) : undefined;
  if (shown !== undefined) recorded.shown = shown;
  if (reply.reasoningParts !== undefined) recorded.reasoningParts = reply.reasoningParts;
  if (reply.files !== undefined) recorded.files = reply.files;
  if (reply.modelId !== undefined) recorded.modelId = reply.modelId;
  if (reply.said !== undefined) recorded.said = reply.said;
  return recorded;
}

/** The engine's own id for each call, since providers repeat theirs; beside it the provider's, and the one of the two that goes back. */
function withCallIds(context: TurnContext, reply: ModelReply): readonly ReplyToolCall[] {
  const { tx, env, agent } = context;
  const { wireIds } = agent.history;
  // The only call of a reply, as most are, can repeat an id of the history alone.
  const fresh = reply.toolCalls.length > 1 ? new Set<string>() : undefined;
  const used = fresh === undefined ? wireIds : { has: (id: string) => wireIds.has(id) || fresh.has(id), size: wireIds.size };
  const recorded: ReplyToolCall[] = [];
  for (const call of reply.toolCalls) {
    // A model may invent a name that no provider accepts in history, so derive the wire name from the resolved tool name.
    const name = env.catalog.fromWire(call.toolName);
    const wireName = env.catalog.wireName(name);
    const callId = callIdAt(tx.run.counters.calls + recorded.length + 1);
    const { providerCallId, input } = call;
    // Calls that were read out of a text have no ids but those of their places.
    const wireId = reply.said === undefined ? wireIdOf(call, used) : undefined;
    const made: Writable<ReplyToolCall> =
      wireId === undefined
        ? { callId, providerCallId, name, wireName, input }
        : { callId, providerCallId, name, wireName, input, wireId };
    if (wireId !== undefined) fresh?.add(wireId);
    if (call.providerOptions !== undefined) made.providerOptions = call.providerOptions;
    if (call.problem !== undefined) made.problem = call.problem;
    if (call.shown !== undefined) made.shown = call.shown;
    recorded.push(made);
  }
  // An exact copy, since it is kept for the whole run and a grown array reserves room.
  return recorded.slice();
}
