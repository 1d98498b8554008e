import type { CadreEvent } from '../core/events/event.ts';
import type { TurnReserve } from '../core/events/turn-parts.ts';
import { titleCall } from '../core/fold/charge.ts';
import { restOfCall, type Use, useOf } from '../core/model/usage.ts';
import { Findings, type JournalProblem } from './journal-problem.ts';

/** Sums of fractions are inexact. */
const rounding = 1e-9;

/**
 * Checks the run's budgets: no model call begins that, together with the reserves of calls in flight, could exceed the run's tokens
 * or cost; and each limit is reported once.
 */
export function checkBudgets(events: readonly CadreEvent[]): readonly JournalProblem[] {
  const found = new Findings();
  const inFlight = new Map<string, { readonly tokens: number; readonly cost: number }>();
  const reported = new Set<string>();
  let limits: { readonly maxTokens?: number; readonly maxCostUsd?: number } = {};
  let tokens = 0;
  let cost = 0;
  const count = ({ usage, cost: spent = 0 }: Use, sign: 1 | -1 = 1): void => {
    tokens += sign * ((usage.inputTokens ?? 0) + (usage.outputTokens ?? 0));
    cost += sign * spent;
  };
  const begin = (callId: string, reserve: TurnReserve): void => {
    inFlight.set(callId, { tokens: reserve.tokens, cost: reserve.cost ?? 0 });
    const set = [...inFlight.values()].reduce((sum, own) => ({ tokens: sum.tokens + own.tokens, cost: sum.cost + own.cost }));
    const { maxTokens = Number.POSITIVE_INFINITY, maxCostUsd = Number.POSITIVE_INFINITY } = limits;
    found.expect(
      tokens + set.tokens <= maxTokens,
      'limits',
      `${callId} begins with ${tokens} tokens used and ${set.tokens} set aside, and the run may use ${maxTokens}`,
    );
    found.expect(
      reserve.cost === undefined || cost + set.cost <= maxCostUsd + rounding,
      'limits',
      `${callId} begins with $${cost} used and $${set.cost} set aside, and the run may cost $${maxCostUsd}`,
    );
  };
  for (const event of events) {
    found.at(event);
    switch (event.type) {
      case 'run.start':
        limits = event.limits;
        break;
      case 'turn.start':
      case 'compaction.start':
        if (event.reserve !== undefined) begin(event.type === 'turn.start' ? event.turnId : event.compactionId, event.reserve);
        break;
      case 'model.reserve': {
        const { usage, costAtLeast } = useOf(event.attempts);
        count({ usage, cost: costAtLeast });
        if (event.replaces !== undefined) count(event.replaces, -1);
        inFlight.delete(event.call);
        if (event.reserve !== undefined) begin(event.call, event.reserve);
        break;
      }
      case 'model.end':
      case 'compaction.end':
      case 'run.title':
        inFlight.delete(event.type === 'model.end' ? event.turnId : event.type === 'run.title' ? titleCall : event.compactionId);
        count(restOfCall(event));
        if (event.type === 'compaction.end' && event.estimate !== undefined) count(event.estimate);
        break;
      case 'turn.end':
        inFlight.delete(event.turnId);
        if (event.estimate !== undefined) count(event.estimate);
        break;
      case 'agent.restart':
        for (const key of reported) if (key.startsWith(`${event.agentId} `)) reported.delete(key);
        break;
      case 'limit.reach': {
        const key = `${event.agentId} ${event.stage} ${event.scope} ${event.limit}`;
        found.expect(!reported.has(key), 'limits', `a limit of ${event.agentId} is reported a second time: ${event.reason}`);
        reported.add(key);
        break;
      }
      default:
    }
  }
  return found.problems;
}
