import { TurnContext } from '../../core/turn-context.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import type { CallId } from '../../core/ids.ts';
import type { InputGate } from '../../engine/run/decide-batch.ts';
import { gateFor } from '../../nodes/tools/tool-gates.ts';

/** Notes which gate judged the calls that events request: the journal records only those that deny or ask. */
export function noteGates(
  gates: Map<CallId, string>,
  tx: Transaction,
  events: readonly CadreEvent[],
  { decision: { env } }: Pick<InputGate, 'decision'>,
): void {
  for (const event of events) {
    if (event.type !== 'tool.request' || event.args === null) continue;
    const agent = tx.run.agents.get(event.agentId);
    const tool = env.catalog.get(event.name);
    if (agent === undefined || tool === undefined) continue;
    const gate = gateFor(new TurnContext(tx, env, agent), env, { tool, args: event.args, turnId: event.turnId });
    if (gate !== undefined) gates.set(event.callId, gate.id);
  }
}
