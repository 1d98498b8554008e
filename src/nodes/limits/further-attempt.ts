import type { Env } from '../../core/env.ts';
import type { Writable } from '../../core/json.ts';
import type { AgentId } from '../../core/ids.ts';
import type { FurtherAttempt, ModelAttempt } from '../../core/model/model.ts';
import { useOf } from '../../core/model/usage.ts';
import type { ModelReserve } from '../../core/events/turn-events.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import { isCallOpen, reserveOfCall, titleCall } from '../../core/fold/charge.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import { type FreedBudget, judgeAttempt, judgeTitle } from './reserve.ts';
import { type ReachedLimit, shown } from './limits.ts';

/** A question of a model call about its next attempt. `call` is the id of its turn or its compaction, or `title`. */
export interface AttemptQuestion extends FurtherAttempt {
  readonly agentId: AgentId;
  readonly call: string;
}

/** Attempts of a model call that no further one follows, for now. */
export interface MadeAttempts {
  /** The agent of the call; the run's first one for its title. */
  readonly agentId?: AgentId;
  readonly call: string;
  readonly made: readonly ModelAttempt[];
}

/**
 * Charges what the attempts of a model call used, and reserves the next one or refuses it: an attempt that does not fit into every budget
 * of its agent is not begun, and a reply that needs more than they have ends there. A call that is over is only charged.
 */
export function applyAttempt(tx: Transaction, env: Env, question: AttemptQuestion): void {
  const { agentId, call, made, promptTokens, config, received } = question;
  const { run } = tx;
  const agent = run.agents.get(agentId);
  if (agent === undefined) return;
  if (!isCallOpen(run, agent, call)) return chargeMade(tx, { agentId, call, made });
  const { usage, costAtLeast } = useOf(made);
  const held = reserveOfCall(run, agent, call);
  const freed: FreedBudget = {
    tokens: (held?.tokens ?? 0) - (usage.inputTokens ?? 0) - (usage.outputTokens ?? 0),
    cost: (held?.cost ?? 0) - costAtLeast,
    sharers: held === undefined ? 0 : 1,
  };
  const size = { prompt: promptTokens, config };
  // A reply that streams has its place already.
  const judge = call === titleCall && received === undefined ? judgeTitle : judgeAttempt;
  const { reserve, limit } = judge({ env, run, agent }, size, freed);
  const event: Writable<ModelReserve> = { type: 'model.reserve', agentId, call, attempts: made };
  if (reserve !== undefined) event.reserve = reserve;
  else if (received !== undefined) event.reserve = { ...held, tokens: held?.tokens ?? promptTokens, output: received };
  else {
    const which = made.length === 0 ? 'the' : 'another attempt of the';
    const message =
      `${limit?.reason ?? 'a limit is reached'}; ${which} model call on '${config.name}', whose prompt alone has about ` +
      `${shown(promptTokens)} tokens, does not fit and was not made. ${remedy(limit)}`;
    event.error = { code: 'LIMIT_REACHED', message };
    event.attempts = withoutWait(made);
  }
  tx.emit(event, causeOf(tx, agent));
}

function remedy(limit: ReachedLimit | undefined): string {
  const key = limit?.limit === 'cost_usd' ? 'max_cost_usd' : 'max_tokens';
  const whose =
    limit?.scope === 'run'
      ? 'the limit of the run'
      : `limits.${limit?.scope === 'module' ? 'per_module.' : ''}${key} of the profile`;
  return `Raise ${whose}, or lower retries or max_output_tokens of the LLM config`;
}

/**
 * Charges attempts of a model call that its engine left, or that is over: then they replace the estimate that was charged for it. A call
 * that goes on asks again before its next attempt.
 */
export function chargeMade(tx: Transaction, { agentId, call, made }: MadeAttempts): void {
  const { run } = tx;
  const agent = run.agents.get(agentId ?? run.rootAgentId ?? ('' as AgentId));
  if (agent === undefined) return;
  const event: Writable<ModelReserve> = { type: 'model.reserve', agentId: agent.meta.agentId, call, attempts: made };
  if (!isCallOpen(run, agent, call)) {
    const estimate = run.chargedCalls.get(call)?.estimate;
    if (estimate !== undefined) event.replaces = estimate;
    else if (made.every(({ usage }) => usage === undefined)) return;
  }
  tx.emit(event, causeOf(tx, agent));
}

function causeOf({ run }: Transaction, { turn, meta }: SubContext): number {
  const current = turn.currentId === undefined ? undefined : run.turns.get(turn.currentId);
  return current?.start.seq ?? meta.seq;
}

/** No attempt follows that the last one could wait for. */
function withoutWait(made: FurtherAttempt['made']): FurtherAttempt['made'] {
  const last = made.at(-1);
  if (last?.waitMs === undefined) return made;
  const { waitMs: _, ...rest } = last;
  return [...made.slice(0, -1), rest];
}
