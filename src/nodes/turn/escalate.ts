import type { TurnContext } from '../../core/turn-context.ts';
import type { StagnationAct } from '../../core/events/agent-events.ts';
import type { Writable } from '../../core/json.ts';
import { streakOf } from '../../core/fold/streaks.ts';
import type { EscalationStep } from '../../core/profile/escalation.ts';
import type { TurnPlan } from '../../core/profile/turn-plan.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import { callLines } from '../inbox/call-lines.ts';
import { endAgent } from './end-agent.ts';

/** True when a streak is long enough for some step of the escalation; false proves that there is nothing to do. */
export function isStagnating(agent: SubContext, { escalation }: TurnPlan): boolean {
  for (const { on, at } of escalation) if (streakOf(agent, on) >= at) return true;
  return false;
}

/**
 * Takes the steps of the profile's escalation before a turn: each step whose streak is long enough is taken
 * once, and again only after the streak broke. False when no turn follows: a person is asked first, or the agent has ended.
 */
export function escalate(context: TurnContext): boolean {
  const { agent, profile } = context;
  for (const step of profile.stagnation) {
    const count = streakOf(agent, step.on);
    if (count < step.at || agent.streaks.escalations.some(({ id }) => id === step.id)) continue;
    if (!act(context, step, count)) return false;
  }
  return true;
}

function act(context: TurnContext, step: EscalationStep, count: number): boolean {
  const { tx, env, agent } = context;
  const { action } = step;
  const draft: Writable<StagnationAct> = {
    type: 'stagnation.act',
    agentId: agent.meta.agentId,
    rung: step.id,
    on: step.on,
    threshold: step.at,
    count,
    action: action.type,
  };
  const what = repeated(tx.run, agent, step, count);
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
      draft.fingerprint = env.hash(JSON.stringify([step.id, draft.prompt]));
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
  endAgent(context, { outcome: action.outcome, error: { code: 'STAGNATION', message: what.report } }, seq);
  return false;
}

function notice(tx: Transaction, agent: SubContext, text: string): void {
  tx.post(agent.meta.agentId, { source: 'STAGNATION_NOTICE', payload: text, observerId: 'stagnation' }, lastSeq(tx.run, agent));
}

function lastSeq(run: RunContext, agent: SubContext): number {
  const last = agent.turn.lastId === undefined ? undefined : run.turns.get(agent.turn.lastId);
  return last?.end?.seq ?? last?.start.seq ?? agent.meta.seq;
}

/** Describes an agent's repetition: in a sentence for itself, with the calls and their results for people. */
function repeated(
  run: RunContext,
  agent: SubContext,
  step: EscalationStep,
  count: number,
): { readonly sentence: string; readonly report: string; readonly tools: readonly string[] } {
  const last = agent.turn.lastId === undefined ? undefined : run.turns.get(agent.turn.lastId);
  const calls = last?.calls ?? [];
  const tools = [...new Set(calls.map(({ request }) => request.name))];
  const sentence = sentenceOf(step, count, tools);
  const heading = `${sentence} Seen after turn ${agent.turn.lastId ?? 'none'} (${step.on} = ${count}, rung '${step.id}').`;
  return { sentence, tools, report: [heading, ...callLines(last)].join('\n') };
}

function sentenceOf(step: EscalationStep, count: number, tools: readonly string[]): string {
  switch (step.on) {
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
