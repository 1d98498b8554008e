import { TurnContext } from '../../core/turn-context.ts';
import { toErrorRecord } from '../../core/error.ts';
import { stagnationOutcome } from '../../core/profile/escalation.ts';
import type { AgentRestart } from '../../core/events/agent-events.ts';
import type { EventDraft, EventOf } from '../../core/events/event.ts';
import type { RunEndStatus } from '../../core/events/run-events.ts';
import type { AgentId } from '../../core/ids.ts';
import type { InboxItem } from '../../core/inbox/inbox.ts';
import type { AgentEnding, RunningCall } from '../../core/events/tool-parts.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import { unknownCalls } from '../../core/state/unknown-calls.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import { untrustedSources } from '../../core/prompt/prompt-sources.ts';
import { answeredCall } from '../inbox/answer-open-calls.ts';
import { DraftedState } from '../tools/drafted-state.ts';
import { useUnderWay } from '../limits/unanswered.ts';
import { dropCompaction } from '../prompt/drop-compaction.ts';
import { mayHaveActed } from '../tools/end-call.ts';
import { endWithAgent } from '../tools/unknown-outcome.ts';
import { transitionContext } from '../tools/transition-context.ts';

/**
 * Ends an agent and everything below it (I9): its children, itself, then its open calls (which get no item any more), its turn and its
 * compaction. The agent that asked to be notified is notified, unless it ended the agent itself (`ender`); the run ends with its root.
 */
export function endAgent(
  context: TurnContext,
  ending: AgentEnding & { readonly by?: string },
  cause: number | undefined,
  ender?: AgentId,
): void {
  endAll(context, ending, cause, ender);
}

/** Ends an agent and all below it; returns their calls that may have happened and have no result. */
function endAll(
  context: TurnContext,
  ending: AgentEnding & { readonly by?: string },
  cause: number | undefined,
  ender?: AgentId,
): readonly RunningCall[] {
  const { tx, env, agent } = context;
  if (agent.status === 'ended') return none;
  const { agentId } = agent.meta;
  const ended = { outcome: 'cancelled', error: { code: 'TOOL_CANCELLED' as const, message: `${agentId} ended` } };
  const below = agent.children.flatMap((childId) => {
    const child = tx.run.agents.get(childId);
    return child === undefined ? none : endAll(new TurnContext(tx, env, child), ended, cause);
  });
  const open = [...agent.calls.open.values()];
  const own = open.filter((call) => mayHaveActed(env, call));
  const unknown = [...own.map(({ callId, request }) => ({ agentId, callId, tool: request.name })), ...below];
  const interrupted = agent.turn.currentId;
  const end = tx.emit(
    {
      type: 'agent.end',
      agentId,
      outcome: ending.outcome,
      output: ending.output ?? agent.turn.lastReply,
      deliverables: ending.deliverables ?? agent.deliverables,
      ...(ending.error === undefined ? {} : { error: ending.error }),
      ...(ending.by === undefined ? {} : { by: ending.by }),
      ...(unknown.length === 0 ? {} : { unknown }),
    },
    cause,
  );
  for (const call of open) {
    tidyUp(context, call, end.seq);
    endWithAgent(context, call, end.seq);
  }
  if (interrupted !== undefined) {
    const estimate = useUnderWay(context, interrupted);
    const ended = { type: 'turn.end', agentId, turnId: interrupted, status: 'cancelled' } as const;
    tx.emit(estimate === undefined ? ended : { ...ended, estimate }, end.seq);
  }
  dropCompaction(context, 'the agent ended before the summary came', end.seq);
  tx.ended.push({ agentId, seq: end.seq });
  if (ender === undefined || agent.meta.notify?.agentId !== ender) notify(tx, agent, end.seq);
  if (tx.run.rootAgentId === agentId) endRun(tx, agent, end);
  return unknown;
}

const none: readonly RunningCall[] = [];

/** Sources of notices about the iteration that is over. */
const outdated: ReadonlySet<string> = new Set(['LIMIT_NOTICE', 'STAGNATION_NOTICE']);

/**
 * Drops unread items of an ended agent that are wrong after its restart: results if their calls have left its history (I1);
 * notices of limits and stagnation if its history is kept.
 */
function dropStale(context: TurnContext, { keepsHistory }: Pick<AgentRestart, 'keepsHistory'>, cause: number): void {
  const { tx, agent } = context;
  const isStale = (item: InboxItem): boolean =>
    keepsHistory === true ? outdated.has(item.source) : answeredCall(item) !== undefined;
  for (const { item } of agent.inbox.items.filter((waiting) => isStale(waiting.item)))
    tx.emit({ type: 'inbox.drop', agentId: agent.meta.agentId, itemId: item.itemId, reason: 'agent_ended' }, cause);
}

/** Lets a waiting transition tool leave team state in order, now that what it started has ended. */
function tidyUp(context: TurnContext, call: CallState, cause: number): void {
  const { tx, env, agent } = context;
  const tool = env.catalog.get(call.request.name);
  if (tool?.kind !== 'transition' || tool.cancel === undefined || call.status !== 'suspended') return;
  try {
    const view = transitionContext(context, call);
    const drafts = tool.cancel(call.args ?? {}, view, call.memo);
    for (const draft of new DraftedState(tx.run, call.request.name, tx.at).toEvents(drafts, view.turnId))
      tx.emitDraft(draft, cause);
  } catch (thrown) {
    const { code, message } = toErrorRecord(thrown, 'TOOL_FAILED');
    tx.emit(
      {
        type: 'note.add',
        level: 'error',
        code,
        message: `'${call.request.name}' could not be cancelled in good order: ${message}`,
        agentId: agent.meta.agentId,
        turnId: call.request.turnId,
      },
      cause,
    );
  }
}

/** Emits what a tool of `agent` drafted; the end of an agent ends everything below it, too. */
export function emitToolDraft(context: TurnContext, draft: EventDraft, cause: number): void {
  const { tx, env, agent } = context;
  const ending = draft.type === 'agent.end' ? tx.run.agents.get(draft.agentId) : undefined;
  if (draft.type === 'agent.end' && ending !== undefined)
    endAgent(new TurnContext(tx, env, ending), draft, cause, agent.meta.agentId);
  else tx.emitDraft(draft.type === 'agent.start' ? atItsDepth(tx, draft) : draft, cause);
  const restarted = draft.type === 'agent.restart' ? tx.run.agents.get(draft.agentId) : undefined;
  if (restarted !== undefined && draft.type === 'agent.restart') dropStale(new TurnContext(tx, env, restarted), draft, cause);
}

/** Sets an agent's depth from its parent, whatever the draft says. */
function atItsDepth(tx: Transaction, draft: Extract<EventDraft, { type: 'agent.start' }>): EventDraft {
  const parent = draft.parentAgentId === undefined ? undefined : tx.run.agents.get(draft.parentAgentId);
  const depth = (parent?.meta.depth ?? -1) + 1;
  return draft.depth === depth ? draft : { ...draft, depth };
}

/** Notifies the agent that asked for it, unless that agent has ended. */
function notify(tx: Transaction, agent: SubContext, cause: number): void {
  const wanted = agent.meta.notify;
  const listener = wanted === undefined ? undefined : tx.run.agents.get(wanted.agentId);
  if (wanted === undefined || listener === undefined || listener.status === 'ended') return;
  const taint = untrustedSources(agent.history.sources);
  tx.post(
    wanted.agentId,
    {
      ...(taint.length === 0 ? {} : { trust: 'untrusted', taint }),
      source: wanted.source,
      payload: {
        agent_id: agent.meta.agentId,
        status: agent.result.outcome ?? 'error',
        summary: agent.result.output,
        error: agent.result.error === undefined ? null : agent.result.error.message,
        ...unknownCalls(agent),
        deliverables: agent.deliverables,
      },
      from: agent.meta.agentId,
    },
    cause,
  );
}

/** The status of a run whose root ended in this way. */
export function runStatusOf(outcome: string): RunEndStatus {
  if (outcome === 'cancelled') return 'cancelled';
  return outcome === 'error' || outcome === 'limit' || outcome === stagnationOutcome ? 'failed' : 'completed';
}

function endRun(tx: Transaction, root: SubContext, { seq, by }: EventOf<'agent.end'>): void {
  const outcome = root.result.outcome ?? 'error';
  tx.sync = true;
  tx.emit(
    {
      type: 'run.end',
      status: runStatusOf(outcome),
      outcome,
      output: root.result.output,
      deliverables: root.deliverables,
      ...(root.result.error === undefined ? {} : { error: root.result.error }),
      ...(by === undefined ? {} : { by }),
      ...(tx.run.running.size === 0 ? {} : { running: [...tx.run.running.values()] }),
    },
    seq,
  );
}
