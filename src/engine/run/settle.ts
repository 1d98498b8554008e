import { TurnContext } from '../../core/turn-context.ts';
import type { Env } from '../../core/env.ts';
import { emptyPlace, type PlaceableDraft } from '../../core/events/event.ts';
import type { TurnEnd } from '../../core/events/turn-events.ts';
import type { AgentEnding } from '../../core/events/tool-parts.ts';
import { waitsForAgent } from '../../core/tool/wait-for.ts';
import type { AgentId } from '../../core/ids.ts';
import { isExpired, type WaitingItem } from '../../core/inbox/inbox.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { wakesAgent } from '../../core/inbox/strategy.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import { isAwaitingUser } from '../../core/state/is-asking.ts';
import { endAgent } from '../../nodes/turn/end-agent.ts';
import type { DecisionContext } from './decision-context.ts';

/**
 * Model calls and tools after which a decision is full: so many first turns of agents take some milliseconds, and signals, timers and
 * sockets are served before the next ones.
 */
const mostStarts = 64;

/**
 * Advances everything that can go on: parents of ended agents, calls that may start, turns that are over or due. A full decision leaves the
 * rest to a separate input `settle`; after a crash in between, state alone shows what remains.
 */
export function settle(tx: Transaction, decision: DecisionContext, mayStart: boolean): void {
  let looked: AgentId | undefined;
  let eventsThen = -1;
  for (;;) {
    const ended = tx.ended.shift();
    if (ended !== undefined) {
      tellParent(tx, decision, ended.agentId, 'agent_ended', ended.seq);
      continue;
    }
    if (tx.effects.length >= mostStarts) tx.isFull = true;
    if (tx.isFull) return;
    // Advancing an agent may touch it again, or others.
    const agentId = tx.nextTouched();
    if (agentId === undefined) return;
    const agent = tx.run.agents.get(agentId);
    if (agent === undefined || tx.run.outcome !== undefined) continue;
    const { status } = agent;
    if (status === 'in_turn' || status === 'ended') continue;
    // Touched by its own advance, which started every call that may start: another look finds the same.
    if (status === 'awaiting_tools' && agentId === looked && tx.events.length === eventsThen) continue;
    advance(tx, decision, agent, mayStart);
    looked = agentId;
    eventsThen = tx.events.length;
  }
}

/** Resumes the parent's calls that wait for this agent; when it merely waits for input, only those that asked for that. */
function tellParent(
  tx: Transaction,
  decision: DecisionContext,
  agentId: AgentId,
  kind: 'agent_ended' | 'agent_waits',
  cause: number,
): void {
  const child = tx.run.agents.get(agentId);
  const parent = child?.meta.parentAgentId === undefined ? undefined : tx.run.agents.get(child.meta.parentAgentId);
  if (parent === undefined || parent.status === 'ended') return;
  for (const call of [...parent.calls.open.values()]) {
    const { waitFor } = call;
    if (call.status !== 'suspended' || waitFor?.kind !== 'agents' || !waitsForAgent(waitFor, agentId)) continue;
    if (kind === 'agent_waits' && waitFor.orWait !== true) continue;
    tx.cause = cause;
    decision.toolNode.resume(tx, parent, call, { kind, agentId }, cause);
  }
}

function advance(tx: Transaction, decision: DecisionContext, agent: SubContext, mayStart: boolean): void {
  if (agent.status === 'awaiting_tools') {
    if (mayStart) while (agent.calls.open.size > 0 && decision.toolNode.prep(tx, agent) !== undefined);
    if (agent.calls.open.size === 0) endTurnWhenCallsEnded(new TurnContext(tx, decision.env, agent));
  }
  if (!mayStart || (agent.status !== 'ready' && agent.status !== 'awaiting_input')) return;
  if (mayTakeTurn(decision.env, agent)) decision.agentNode.prep(tx, agent);
  // Checked from state alone, too: a notification lost in a crash is sent by the next process.
  const waits = agent.status === 'awaiting_input' && agent.context.compacting === undefined && isAwaitingUser(agent);
  if (waits && !mayTakeTurn(decision.env, agent))
    tellParent(tx, decision, agent.meta.agentId, 'agent_waits', waitSeq(tx.run, agent));
}

/** Returns the event that starts an agent's wait: the end of its last turn, which holds its message. */
function waitSeq(run: RunContext, agent: SubContext): number {
  const last = agent.turn.lastId === undefined ? undefined : run.turns.get(agent.turn.lastId);
  return last?.end?.seq ?? agent.meta.seq;
}

/** Ends the turn when its tool calls have ended; a call that ends the flow ends the agent with it. */
function endTurnWhenCallsEnded(context: TurnContext): void {
  const { tx, agent } = context;
  const turnId = agent.turn.currentId;
  if (turnId === undefined) return;
  const turn = tx.run.turns.get(turnId);
  // A rule may call a tool instead of a model that failed.
  const error = turn?.modelEnd?.error;
  let last = 0;
  let ending: AgentEnding | undefined;
  for (const { end } of turn?.calls ?? []) {
    if (end === undefined) continue;
    if (end.seq > last) last = end.seq;
    ending ??= end.end;
  }
  const draft: PlaceableDraft<TurnEnd> = {
    type: 'turn.end',
    agentId: agent.meta.agentId,
    turnId,
    status: error === undefined ? 'completed' : 'error',
    runId: emptyPlace.runId,
    seq: emptyPlace.seq,
    at: emptyPlace.at,
    cause: emptyPlace.cause,
  };
  if (error !== undefined) draft.error = error;
  const end = tx.emit(draft, last === 0 ? undefined : last);
  if (ending !== undefined) endAgent(context, ending, end.seq);
}

/** True when an agent may take a turn. Derives from state alone and is checked after every change, so no wake-up is lost (I6). */
function mayTakeTurn({ profiles }: Pick<Env, 'profiles'>, agent: SubContext): boolean {
  if (agent.context.compacting !== undefined) return false;
  if (agent.status === 'ready') return agent.turn.loop || agent.inbox.items.some(isNews);
  if (agent.status !== 'awaiting_input') return false;
  const on = agent.inbox.awaitingOn;
  const own = profiles.get(agent.meta.profile)?.strategies;
  return agent.inbox.items.some(
    (waiting) =>
      isNews(waiting) &&
      !isBeforeQuestion(waiting, agent) &&
      (waiting.item.delivery === 'now' ||
        (on === undefined ? wakesAgent(waiting.item.source, own) : on.includes(waiting.item.source))),
  );
}

/** True for what a person wrote before the agent asked its question: it answers something else, and waits for the answer. */
function isBeforeQuestion({ item, seq }: WaitingItem, { turn, inbox }: SubContext): boolean {
  return turn.question !== undefined && seq < turn.question.seq && inbox.awaitingOn?.includes(item.source) === true;
}

/** True unless the item was already read and stays; one that could not be read is tried again, until it expires. */
function isNews(waiting: WaitingItem): boolean {
  return waiting.turnsSeen === 0 || (waiting.failures > 0 && !isExpired(waiting));
}

/** Records that the run only waits, or works again, and the number of requests that wait for a person. */
export function updateStatus(tx: Transaction): void {
  const { run } = tx;
  if (run.outcome !== undefined || (tx.isFull && tx.unsettled.length > 0)) return;
  const status = run.activity === 0 ? 'awaiting' : 'running';
  const { pending } = run;
  if (status === run.status && pending === run.pendingRecorded) return;
  tx.emit({ type: 'run.status', status, ...(pending === 0 ? {} : { pending }) }, run.seq);
}
