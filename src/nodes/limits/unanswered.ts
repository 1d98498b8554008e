import type { Env } from '../../core/env.ts';
import type { ErrorRecord } from '../../core/error.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import { isCallOpen, reserveOfCall, titleCall } from '../../core/fold/charge.ts';
import type { AgentId } from '../../core/ids.ts';
import type { Writable } from '../../core/json.ts';
import { defaultOutputTokens, type LlmConfig } from '../../core/model/llm-config.ts';
import type { ModelAttempt, ModelOutcome, Usage } from '../../core/model/model.ts';
import { priceAt } from '../../core/model/model-price.ts';
import { restOfCall, type Use } from '../../core/model/usage.ts';
import { promptTokens } from '../../core/prompt/context-size.ts';
import { estimateTokens } from '../../core/prompt/token-estimate.ts';
import type { TurnContext } from '../../core/turn-context.ts';
import { chargeMade } from './further-attempt.ts';
import { configOf } from './reserve.ts';

/*
 * Model calls without an outcome on record.
 *
 * Owns: what is charged for them. Does not own: how it is counted (`core/fold/charge.ts`).
 * 1. Until anything is known of an attempt, it counts as its prompt: that was sent.
 * 2. Nothing is charged for a call that has nothing reserved: no attempt of it is under way.
 */

/** A model call of an agent: `call` is the id of its turn or its compaction, or `title`. */
type CallContext = Pick<TurnContext, 'env' | 'run' | 'agent'>;

/** Returns what the attempt under way of a model call used as far as is known: its prompt. Undefined when none is under way. */
export function useUnderWay(context: CallContext, call: string): Use | undefined {
  const { run, agent } = context;
  const held = isCallOpen(run, agent, call) ? reserveOfCall(run, agent, call) : undefined;
  if (held === undefined) return undefined;
  const config = configOfCall(context, call);
  const longest = held.output ?? config?.maxOutputTokens ?? defaultOutputTokens;
  const turn = agent.turn.currentId === call ? run.turns.get(agent.turn.currentId) : undefined;
  // As it was reserved: the provider's earlier counts correct the estimate.
  const inputTokens = promptTokens(agent, turn?.start.prompt) ?? Math.max(0, held.tokens - longest);
  const usage = { inputTokens, outputTokens: 0 };
  if (config?.price === undefined) return { usage };
  return { usage, cost: (inputTokens * priceAt(config.price, inputTokens).input) / 1_000_000 };
}

function configOfCall(context: CallContext, call: string): LlmConfig | undefined {
  const { env, run, agent } = context;
  if (agent.turn.currentId === call) {
    // A process without the run's profiles may cancel it.
    const profile = env.profiles.get(agent.meta.profile);
    return profile === undefined ? undefined : configOf({ env, run, agent, profile });
  }
  const { compacting } = agent.context;
  const name = call === titleCall ? env.titles?.llmConfig : compacting?.compactionId === call ? compacting.llmConfig : undefined;
  return name === undefined ? undefined : namedConfig(env, name);
}

/** Returns an LLM config; undefined when it cannot be called, which the call itself will say. */
function namedConfig(env: Env, name: string): LlmConfig | undefined {
  try {
    return env.llmConfigOf(name);
  } catch {
    return undefined;
  }
}

const lost: ErrorRecord = {
  code: 'MODEL_INTERRUPTED',
  message: 'the process ended before the model call did; what the call used is estimated',
};

/** Charges the attempt of a model call that was under way when its process ended. */
export function chargeLost(context: TurnContext, call: string): void {
  const { tx, run, agent } = context;
  // The attempt belongs to the run that this one was forked from.
  if (run.meta.parentRun?.at === run.resumedSeq - 1) return;
  const use = useUnderWay(context, call);
  if (use === undefined) return;
  const config = configOfCall(context, call);
  const startedAt = agent.turn.currentId === call ? (run.turns.get(agent.turn.currentId)?.start.at ?? tx.at) : tx.at;
  const attempt = { config: config?.name ?? '', model: config?.model ?? '', startedAt, ms: 0, error: lost, ...use };
  chargeMade(tx, { agentId: agent.meta.agentId, call, made: [attempt] });
}

/** Charges a model call whose outcome came after its turn or its compaction was over. */
export function chargeLate(tx: Transaction, agentId: AgentId, call: string, outcome: ModelOutcome): void {
  const sent = tx.run.chargedCalls.get(call)?.estimate?.usage.inputTokens;
  chargeMade(tx, { agentId, call, made: chargeable(outcome, sent) });
}

/** Returns the attempts of a call, each with what it used: the one that was answered, too. `sent` estimates its prompt. */
export function chargeable(outcome: ModelOutcome, sent = 0): readonly ModelAttempt[] {
  const { attempts } = outcome;
  const last = attempts.at(-1);
  if (last === undefined || outcome.kind === 'error') return attempts;
  const before = attempts.slice(0, -1);
  const { usage, cost } = restOfCall({ ...outcome, attempts: before, charged: before.length });
  const answered: Writable<ModelAttempt> = { ...last, usage: counted(usage, outcome.reply.text, sent) };
  if (cost !== undefined) answered.cost = cost;
  return [...before, answered];
}

function counted(usage: Usage, text: string, sent: number): Usage {
  const { inputTokens = sent, outputTokens = estimateTokens(text) } = usage;
  return { ...usage, inputTokens, outputTokens };
}
