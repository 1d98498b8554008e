import type { AgentId, ItemId } from '../../core/ids.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { conversation } from '../../inspect/conversation.ts';

/** Part of a run that answers the user's last message. */
export interface Exchange {
  /** Item of the user's message. */
  readonly itemId: ItemId;
  /** Sequence number of the event that posted it. */
  readonly seq: number;
  /** Sequence number after which the events contain everything the exchange refers to, including calls that still wait. */
  readonly from: number;
  readonly root: AgentId;
}

/** Returns the current exchange of a run; undefined before the first message to its root agent. */
export function currentExchange(run: RunContext): Exchange | undefined {
  const root = run.rootAgentId;
  if (root === undefined) return undefined;
  const message = conversation(run).findLast((entry) => entry.kind === 'user' && entry.to === root);
  if (message?.kind !== 'user') return undefined;
  const { itemId, seq } = message;
  const calls = [...run.agents.values()].flatMap((agent) => [...agent.calls.open.values()]);
  return { itemId, seq, from: Math.min(seq, ...calls.map((call) => call.request.seq - 1)), root };
}
