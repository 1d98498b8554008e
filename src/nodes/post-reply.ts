import { setTurnView } from '../core/agent-scope.ts';
import type { Env } from '../core/env.ts';
import { callIdAt } from '../core/fold/tool.ts';
import type { TurnId } from '../core/ids.ts';
import type { ModelOutcome, ModelReply } from '../core/model.ts';
import type { AgentState } from '../core/state.ts';
import type { Transaction } from '../core/transaction.ts';
import type { ReplyToolCall } from '../core/turn.ts';

/** Puts the outcome of a model call on the record, and what conditions may ask of it into `turn.*`. */
export function recordReply(tx: Transaction, env: Env, agent: AgentState, turnId: TurnId, outcome: ModelOutcome): void {
  const base = { type: 'model.end' as const, agentId: agent.meta.agentId, turnId, usage: outcome.usage, attempts: outcome.attempts };
  tx.setCause(turnStartSeq(tx, turnId));
  if (outcome.kind === 'error') {
    tx.emit({ ...base, error: outcome.error });
    setTurnView(agent, { error: outcome.error.code });
  } else {
    const { reply } = outcome;
    const toolCalls = withCallIds(tx, env, reply);
    tx.emit({
      ...base,
      reply: {
        text: reply.text,
        reasoning: reply.reasoning,
        ...(reply.reasoningParts === undefined ? {} : { reasoningParts: reply.reasoningParts }),
        ...(reply.files === undefined ? {} : { files: reply.files }),
        toolCalls,
        finishReason: reply.finishReason,
        ...(reply.modelId === undefined ? {} : { modelId: reply.modelId }),
      },
      ...(outcome.cost === undefined ? {} : { cost: outcome.cost }),
    });
    setTurnView(agent, { reply: reply.text, finish_reason: reply.finishReason, tool_calls: toolCalls.map((call) => call.name) });
  }
  tx.setCause(tx.run.seq);
}

/** The engine's own id for each call, since providers repeat theirs; the provider's stays beside it. */
function withCallIds(tx: Transaction, env: Env, reply: ModelReply): readonly ReplyToolCall[] {
  return reply.toolCalls.map((call, index) => ({
    callId: callIdAt(tx.run.counters.calls + index + 1),
    providerCallId: call.providerCallId,
    name: env.catalog.fromWire(call.toolName),
    wireName: call.toolName,
    input: call.input,
    ...(call.providerOptions === undefined ? {} : { providerOptions: call.providerOptions }),
  }));
}

/** Sequence number of a turn's first event: the cause of what its model call brings. */
export function turnStartSeq(tx: Transaction, turnId: TurnId): number | undefined {
  return tx.run.turns.get(turnId)?.start.seq;
}
