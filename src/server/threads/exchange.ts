import type { AgentId, ItemId } from '../../core/ids.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { conversation } from '../../inspect/conversation.ts';

/** The part of a run that answers what the user said last. */
export interface Exchange {
  /** What the user said. */
  readonly itemId: ItemId;
  /** Sequence number of the event it came with. */
  readonly seq: number;
  /** From here on the events tell everything the exchange refers to: before calls that still wait, which may be older. */
  readonly from: number;
  readonly root: AgentId;
}

/** The exchange that a run is at; undefined when nobody has said anything to its root agent. */
export function currentExchange(run: RunContext): Exchange | undefined {
  const root = run.rootAgentId;
  if (root === undefined) return undefined;
  const said = conversation(run).findLast((entry) => entry.kind === 'user' && entry.to === root);
  if (said?.kind !== 'user') return undefined;
  const { itemId, seq } = said;
  const calls = [...run.agents.values()].flatMap(({ calls: { open: openCalls } }) => [...openCalls.values()]);
  return { itemId, seq, from: Math.min(seq, ...calls.map((call) => call.request.seq - 1)), root };
}
