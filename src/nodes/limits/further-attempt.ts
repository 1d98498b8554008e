import type { Env } from '../../core/env.ts';
import type { Writable } from '../../core/json.ts';
import type { AgentId } from '../../core/ids.ts';
import type { FurtherAttempt } from '../../core/model/model.ts';
import { useOf } from '../../core/model/usage.ts';
import type { ModelReserve } from '../../core/events/turn-events.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import { isCallOpen, reserveOfCall } from '../../core/fold/charge.ts';
import { judgeAttempt } from './reserve.ts';
import { shown } from './limits.ts';

/** A question of a model call about its next attempt. `call` is the id of its turn or its compaction, or `title`. */
export interface AttemptQuestion extends FurtherAttempt {
  readonly agentId: AgentId;
  readonly call: string;
}

/**
 * Charges what the attempts of a model call used, and reserves the next one or refuses it: an attempt that does not fit into every budget
 * of its agent is not begun. A call that is over is only charged.
 */
export function applyAttempt(tx: Transaction, env: Env, { agentId, call, made, promptTokens, config }: AttemptQuestion): void {
  const { run } = tx;
  const agent = run.agents.get(agentId);
  if (agent === undefined) return;
  const event: Writable<ModelReserve> = { type: 'model.reserve', agentId, call, attempts: made };
  const cause = run.turns.get(agent.turn.currentId ?? ('' as never))?.start.seq ?? agent.meta.seq;
  if (!isCallOpen(run, agent, call)) {
    if (made.some(({ usage }) => usage !== undefined)) tx.emit(event, cause);
    return;
  }
  const { usage, costAtLeast } = useOf(made);
  const held = reserveOfCall(run, agent, call);
  const freed = {
    tokens: (held?.tokens ?? 0) - (usage.inputTokens ?? 0) - (usage.outputTokens ?? 0),
    cost: (held?.cost ?? 0) - costAtLeast,
    sharers: held === undefined ? 0 : 1,
  };
  const size = { prompt: promptTokens, config };
  const { reserve, limit } = judgeAttempt({ env, run, agent }, size, freed);
  if (reserve !== undefined) event.reserve = reserve;
  else {
    const key = limit?.limit === 'cost_usd' ? 'max_cost_usd' : 'max_tokens';
    const whose =
      limit?.scope === 'run'
        ? 'the limit of the run'
        : `limits.${limit?.scope === 'module' ? 'per_module.' : ''}${key} of the profile`;
    const message =
      `${limit?.reason ?? 'a limit is reached'}; another attempt of the model call on '${config.name}', whose prompt alone has about ` +
      `${shown(promptTokens)} tokens, does not fit and was not made. Raise ${whose}, or lower retries or max_output_tokens of the LLM config`;
    event.error = { code: 'LIMIT_REACHED', message };
    event.attempts = withoutWait(made);
  }
  tx.emit(event, cause);
}

/** No attempt follows that the last one could wait for. */
function withoutWait(made: FurtherAttempt['made']): FurtherAttempt['made'] {
  const last = made.at(-1);
  if (last?.waitMs === undefined) return made;
  const { waitMs: _, ...rest } = last;
  return [...made.slice(0, -1), rest];
}
