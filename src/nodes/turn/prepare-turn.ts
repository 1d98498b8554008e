import { emptyPlace, type PlaceableDraft } from '../../core/events/event.ts';
import type { TurnStart } from '../../core/events/turn-events.ts';
import type { TurnId } from '../../core/ids.ts';
import { isExpired } from '../../core/inbox/inbox.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { ObserverRecord, TurnPrompt } from '../../core/state/turn.ts';
import type { TurnContext } from '../../core/turn-context.ts';
import { planOf } from '../../core/profile/turn-plan.ts';
import { answerOpenCalls, openCallsOf } from '../inbox/answer-open-calls.ts';
import { readInbox, type ReadInbox } from '../inbox/read-inbox.ts';
import { configOf } from '../limits/reserve.ts';
import { checkLimits, reserveBudget, type TurnBudget } from '../limits/turn-limits.ts';
import { compactIfDue } from '../prompt/compaction.ts';
import { checkContextSize } from '../prompt/context-stage.ts';
import { beginAtTask, showPeerHistory } from '../prompt/peer-history.ts';
import { writePrompt } from '../prompt/write-prompt.ts';
import type { TurnTicket } from './call-model.ts';
import { escalate, isStagnating } from './escalate.ts';
import type { NotBegun } from './not-begun.ts';
import { pauseAtCheckpoint } from './pause-at-checkpoint.ts';

/** Prepares one turn and commits its `turn.start`, or says why it does not begin. */
export function prepareTurn(context: TurnContext): TurnTicket | NotBegun {
  const { tx, env, agent, profile } = context;
  const plan = planOf(profile);
  if (plan.compaction && compactIfDue(context)) return 'compacting';
  tx.cause = agent.inbox.items[0]?.seq ?? agent.meta.seq;
  const open = openCallsOf(agent);
  if (open.length > 0) answerOpenCalls(tx, agent, open);
  const observers = plan.observersBefore ? env.observe(tx, agent, profile, 'pre') : noObservers;
  if (isStagnating(agent, plan) && !escalate(context)) return 'escalated';
  if (plan.checkpoints && pauseAtCheckpoint(context)) return 'at_checkpoint';
  const config = configOf(context);
  const ample = checkLimits(context, config);
  if (ample === 'limit_reached') return ample;
  if (plan.peerHistory) {
    beginAtTask(context);
    showPeerHistory(context, agent.inbox.items[0]?.seq ?? lastDecision(tx.run, agent)?.seq);
  }
  if (config?.contextWindow !== undefined) checkContextSize(context, config.contextWindow);
  if (agent.turn.loop) askToGoOn(context);
  const read = readInbox(context, plan, open);
  const prompt = writePrompt(context, plan, { observers, inputs: read.inputs, config });
  const budget = reserveBudget(context, { prompt, inputs: read.inputs, config, ample });
  return budget === 'limit_reached' ? budget : startTurn(context, { observers, read, prompt, budget });
}

const noObservers: readonly ObserverRecord[] = [];

/** Everything `turn.start` records. */
interface PreparedTurn {
  readonly observers: readonly ObserverRecord[];
  readonly read: ReadInbox;
  readonly prompt: TurnPrompt;
  readonly budget: TurnBudget;
}

/** Emits `turn.start` and makes the model call due. */
function startTurn({ tx, agent }: TurnContext, { observers, read, prompt, budget }: PreparedTurn): TurnTicket {
  const { agentId, callId, seq } = agent.meta;
  const turnId = `${agentId}.t${agent.turn.count + 1}` as TurnId;
  const start: PlaceableDraft<TurnStart> = {
    type: 'turn.start',
    agentId,
    turnId,
    turnType: 'agent',
    flowId: agent.turn.flowId,
    sourceTurnIds: sourceTurnIds(tx.run, agent),
    inputs: read.inputs,
    observers,
    prompt,
    runId: emptyPlace.runId,
    seq: emptyPlace.seq,
    at: emptyPlace.at,
    cause: emptyPlace.cause,
  };
  if (agent.counters.turnCount === 0 && callId !== undefined) start.sourceToolCallId = callId;
  if (budget.limit !== undefined) start.limit = budget.limit;
  if (budget.reserve !== undefined) start.reserve = budget.reserve;
  tx.emit(start, read.cause ?? lastDecision(tx.run, agent)?.seq ?? seq);
  tx.effects.push({ kind: 'model', agentId, turnId, cause: tx.run.seq });
  return { turnId };
}

/** Posts a nudge when a loop has nothing new to read: many providers refuse a prompt that ends with the model's own words. */
function askToGoOn({ tx, agent }: TurnContext): void {
  // An item that was seen as often as it may be is about to be dropped, so it does not count.
  const isRead = agent.inbox.items.some((waiting) => waiting.item.delivery !== 'idle' && !isExpired(waiting));
  if (isRead || agent.history.messages.at(-1)?.role !== 'assistant') return;
  tx.post(
    agent.meta.agentId,
    { source: 'SELF_REFLECTION_PROMPT', payload: { content: 'Go on.' }, observerId: 'loop' },
    lastDecision(tx.run, agent)?.seq,
  );
}

function lastDecision(run: RunContext, agent: SubContext): { readonly seq: number } | undefined {
  return agent.turn.lastId === undefined ? undefined : run.turns.get(agent.turn.lastId)?.decide;
}

/** Returns the turn before, and the turns in which other agents posted the items that are read now. */
function sourceTurnIds(run: RunContext, agent: SubContext): readonly TurnId[] {
  const ids: TurnId[] = agent.turn.lastId === undefined ? [] : [agent.turn.lastId];
  for (const { item, seq } of agent.inbox.items) {
    if (item.from === undefined) continue;
    const sender = run.agents.get(item.from);
    const posted = sender === undefined ? undefined : turnAt(run, sender, seq);
    if (posted !== undefined && !ids.includes(posted)) ids.push(posted);
  }
  return ids;
}

/** Returns the turn an agent was in when an event happened, or its last one before. */
function turnAt(run: RunContext, agent: SubContext, seq: number): TurnId | undefined {
  const current = agent.turn.currentId === undefined ? undefined : run.turns.get(agent.turn.currentId);
  return current !== undefined && current.start.seq < seq ? current.turnId : agent.turn.lastId;
}
