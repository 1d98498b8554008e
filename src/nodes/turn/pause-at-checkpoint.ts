import type { TurnContext } from '../../core/turn-context.ts';
import { agentScope } from '../../core/state/agent-scope.ts';
import type { Checkpoint } from '../../core/profile/checkpoint.ts';
import { toErrorRecord } from '../../core/error.ts';
import type { Scope } from '../../core/expression/expression.ts';
import type { Quote } from '../../core/expression/quote.ts';
import { renderOrSource } from '../../core/expression/template.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { TurnState } from '../../core/state/turn-state.ts';
import { stateQuotes } from '../../core/untrusted/quote-state.ts';
import { callLines, clipped } from '../inbox/call-lines.ts';

/**
 * Pauses an agent before a turn when it has reached one of its profile's checkpoints (A4.3 checkpoint), and asks a person; true when it
 * did. An agent that has just waited for a person continues, whatever its checkpoints say of the turn before.
 */
export function pauseAtCheckpoint(context: TurnContext): boolean {
  const { tx, env, agent } = context;
  const { checkpoints } = context.profile;
  if (checkpoints.length === 0 || agent.turn.question !== undefined || agent.streaks.turnsAlone === 0) return false;
  const last = agent.turn.lastId === undefined ? undefined : tx.run.turns.get(agent.turn.lastId);
  const scope = agentScope(env, tx.run, agent);
  const reached = checkpoints.find((checkpoint) => isReached(context, checkpoint, last, scope));
  if (reached === undefined) return false;
  const { id } = reached;
  const quotes = stateQuotes(env, { run: tx.run, agent }, id);
  const prompt = [questionAt(reached, scope, quotes.quote), ...report(agent, last)].join('\n');
  const on = ['HUMAN_ANSWER', 'USER_PROMPT'];
  const checkpoint = { id, prompt, fingerprint: env.hash(JSON.stringify([id, prompt])) };
  tx.emit({ type: 'agent.await', agentId: agent.meta.agentId, on, checkpoint }, last?.end?.seq ?? agent.meta.seq);
  return true;
}

function isReached(
  context: TurnContext,
  { id, afterTurns, onTools, condition }: Checkpoint,
  last: TurnState | undefined,
  scope: Scope,
): boolean {
  const { tx, agent } = context;
  if (afterTurns !== undefined && agent.streaks.turnsAlone < afterTurns) return false;
  if (onTools.length > 0 && last?.calls.some(({ request, end }) => end?.status === 'ok' && onTools.includes(request.name)) !== true)
    return false;
  try {
    return condition === undefined || condition.test(scope);
  } catch (thrown) {
    // A condition that fails counts as reached: pausing too often is safer than missing a pause.
    const { code, message } = toErrorRecord(thrown, 'CONDITION_FAILED');
    const { agentId } = agent.meta;
    tx.emit({ type: 'note.add', level: 'warning', code, message: `checkpoint '${id}' is taken as reached: ${message}`, agentId });
    return true;
  }
}

function questionAt({ id, message }: Checkpoint, scope: Scope, quote: Quote | undefined): string {
  if (message === undefined) return `Checkpoint '${id}': go on, or end with what there is?`;
  return renderOrSource(message, scope, quote);
}

function report(agent: SubContext, last: TurnState | undefined): readonly string[] {
  const { agentId } = agent.meta;
  const said = agent.turn.lastReply.trim() === '' ? [] : [`${agentId} said last: ${clipped(agent.turn.lastReply.trim())}`];
  const calls = callLines(last);
  return [
    `${agentId} has taken ${agent.counters.turnCount} turn(s), ${agent.streaks.turnsAlone} of them since it began or a person spoke to it.`,
    ...said,
    ...(calls.length === 0 ? [] : [`In ${last?.turnId ?? ''} it called:`, ...calls]),
  ];
}
