import type { Env } from '../core/env.ts';
import type { StagnationAct } from '../core/event.ts';
import type { Writable } from '../core/json.ts';
import type { CompiledProfile } from '../core/profile.ts';
import { type StagnationRung, streakOf } from '../core/stagnation.ts';
import type { AgentState, RunState } from '../core/state.ts';
import type { Transaction } from '../core/transaction.ts';
import { callLines } from './call-lines.ts';
import { endAgent } from './end-agent.ts';

/**
 * Climbs the profile's ladder before a turn (DESIGN 4, stagnation): each rung whose streak is long enough is climbed once, and
 * again only after the streak broke. False when there is no turn to take: a person is asked first, or the agent has ended.
 */
export function climbLadder(tx: Transaction, env: Env, agent: AgentState, profile: CompiledProfile): boolean {
  for (const rung of profile.stagnation) {
    const count = streakOf(agent, rung.on);
    if (count < rung.at || agent.rungs.some(({ id }) => id === rung.id)) continue;
    if (!act(tx, env, agent, rung, count)) return false;
  }
  return true;
}

function act(tx: Transaction, env: Env, agent: AgentState, rung: StagnationRung, count: number): boolean {
  const { action } = rung;
  const draft: Writable<StagnationAct> = {
    type: 'stagnation.act',
    agentId: agent.meta.agentId,
    rung: rung.id,
    on: rung.on,
    threshold: rung.at,
    count,
    action: action.type,
  };
  const what = repeated(tx.run, agent, rung, count);
  switch (action.type) {
    case 'nudge':
      notice(
        tx,
        agent,
        action.message ?? `${what.sentence} Do something else, or finish with what you have and say what is missing.`,
      );
      break;
    case 'forbid_tool':
      draft.tools = what.tools.filter((name) => env.catalog.get(name)?.endsFlow !== true);
      if (draft.tools.length > 0)
        notice(tx, agent, `${what.sentence} In this turn you cannot call ${draft.tools.join(', ')}. Go another way.`);
      break;
    case 'switch_llm_config':
      draft.llmConfig = action.llmConfig;
      break;
    case 'ask_human':
      draft.prompt = `${action.message ?? `${agent.meta.agentId} is going in circles. What should it do?`}\n${what.report}`;
      break;
    case 'end':
      break;
  }
  const { seq } = tx.emit(draft, lastSeq(tx.run, agent));
  if (action.type === 'ask_human') {
    tx.emit({ type: 'agent.await', agentId: agent.meta.agentId, on: ['HUMAN_ANSWER', 'USER_PROMPT'] }, seq);
    return false;
  }
  if (action.type !== 'end') return true;
  endAgent(tx, env, agent, { outcome: action.outcome, error: { code: 'STAGNATION', message: what.report } }, seq);
  return false;
}

function notice(tx: Transaction, agent: AgentState, text: string): void {
  tx.post(agent.meta.agentId, { source: 'STAGNATION_NOTICE', payload: text, observerId: 'stagnation' }, lastSeq(tx.run, agent));
}

function lastSeq(run: RunState, agent: AgentState): number {
  const last = agent.lastTurnId === undefined ? undefined : run.turns.get(agent.lastTurnId);
  return last?.end?.seq ?? last?.start.seq ?? agent.meta.seq;
}

/** What an agent did over and over: for itself in a sentence, for people with the calls and their results. */
function repeated(
  run: RunState,
  agent: AgentState,
  rung: StagnationRung,
  count: number,
): { readonly sentence: string; readonly report: string; readonly tools: readonly string[] } {
  const last = agent.lastTurnId === undefined ? undefined : run.turns.get(agent.lastTurnId);
  const calls = last?.calls ?? [];
  const tools = [...new Set(calls.map(({ request }) => request.name))];
  const sentence = sentenceOf(rung, count, tools);
  const heading = `${sentence} Seen after turn ${agent.lastTurnId ?? 'none'} (${rung.on} = ${count}, rung '${rung.id}').`;
  return { sentence, tools, report: [heading, ...callLines(last)].join('\n') };
}

function sentenceOf(rung: StagnationRung, count: number, tools: readonly string[]): string {
  switch (rung.on) {
    case 'same_action_same_result_streak':
      return `The same was done ${count + 1} times, with the same result${tools.length === 0 ? '' : ` (last ${tools.join(', ')})`}.`;
    case 'duplicate_reply_streak':
      return `The same words were said ${count + 1} times.`;
    case 'no_tool_call_streak':
      return `No tool was called in ${count} replies in a row.`;
    case 'empty_reply_streak':
      return `${count} replies in a row were empty.`;
    case 'tool_error_streak':
      return `${count} tool calls in a row failed${tools.length === 0 ? '' : ` (last ${tools.join(', ')})`}.`;
    case 'model_error_streak':
      return `${count} model calls in a row failed.`;
  }
}
