import type { CadreEvent } from '../../../src/core/events/event.ts';
import { restOfCall, type Use } from '../../../src/core/model/usage.ts';
import type { Run } from '../../../src/index.ts';
import type { World } from '../world/world.ts';

/** Sums of fractions are not exact. */
const rounding = 1e-9;

interface Spent {
  cost: number;
  tokens: number;
}

/** What an event adds to the spending; undefined for those that add nothing. */
function usesIn(event: CadreEvent): readonly Use[] | undefined {
  switch (event.type) {
    case 'model.end':
    case 'compaction.end': {
      const rest = { ...restOfCall(event) };
      const estimate = event.type === 'compaction.end' && event.estimate !== undefined ? [event.estimate] : [];
      // Every attempt of the call was charged before.
      const isNothing = (event.charged ?? 0) > 0 && Object.keys(rest.usage).length === 0 && rest.cost === 0;
      return isNothing ? estimate : [rest, ...estimate];
    }
    case 'model.reserve':
      return event.attempts.flatMap(({ usage, cost }) =>
        usage === undefined ? [] : [cost === undefined ? { usage } : { usage, cost }],
      );
    case 'turn.end':
      return event.estimate === undefined ? undefined : [event.estimate];
    default:
      return undefined;
  }
}

function sumOf(uses: readonly Use[]): Spent {
  const sum: Spent = { cost: 0, tokens: 0 };
  for (const { usage, cost = 0 } of uses) {
    sum.cost += cost;
    sum.tokens += (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
  }
  return sum;
}

function take(from: Spent, { cost, tokens }: Spent): void {
  from.cost -= cost;
  from.tokens -= tokens;
}

/**
 * Adds up what model calls cost, from the journal alone: what the run says it spent is what all its agents did, whichever of them
 * they are; each agent's own budget holds what it and all below it spent.
 */
export function checkCosts(world: World, run: Run, events: readonly CadreEvent[]): void {
  const ofRun: Spent = { cost: 0, tokens: 0 };
  const ofAgents = new Map<string, Spent>();
  const parents = new Map<string, string | undefined>();
  let exact = true;
  for (const event of events) {
    if (event.type === 'agent.start') parents.set(event.agentId, event.parentAgentId);
    // A restarted agent gets the full budget of its profile again.
    if (event.type === 'agent.start' || event.type === 'agent.restart') ofAgents.set(event.agentId, { cost: 0, tokens: 0 });
    const uses = usesIn(event);
    if (uses === undefined || !('agentId' in event)) continue;
    // What a provider did not say is estimated; then sums are bounds.
    if (uses.some(({ usage, cost }) => usage.inputTokens === undefined || usage.outputTokens === undefined || cost === undefined))
      exact = false;
    const spent = sumOf(uses);
    if (event.type === 'model.reserve' && event.replaces !== undefined) take(spent, sumOf([event.replaces]));
    add(ofRun, spent);
    for (let agentId: string | undefined = event.agentId; agentId !== undefined; agentId = parents.get(agentId))
      add(ofAgents.get(agentId), spent);
  }
  const said = (whose: string, budget: Spent, counted: Spent): void => {
    const isLess = budget.cost < counted.cost - rounding || budget.tokens < counted.tokens;
    const isMore = budget.cost > counted.cost + rounding || budget.tokens > counted.tokens;
    if (isLess || (exact && isMore && !hasLostCalls(events)))
      world.violated(
        `limits: ${whose} says it spent $${budget.cost} and ${budget.tokens} tokens; its calls came to $${counted.cost} and ${counted.tokens}`,
      );
  };
  said('the run', run.state.budget, ofRun);
  for (const [agentId, counted] of ofAgents) {
    const agent = run.state.agents.get(agentId as never);
    if (agent !== undefined) said(agentId, agent.limits.budget, counted);
  }
}

/** Calls whose outcome never came count as what was set aside for them. */
function hasLostCalls(events: readonly CadreEvent[]): boolean {
  const asked = events.filter((event) => event.type === 'turn.start' && event.prompt !== undefined).length;
  return asked !== events.filter(({ type }) => type === 'model.end').length;
}

function add(to: Spent | undefined, { cost, tokens }: Spent): void {
  if (to === undefined) return;
  to.cost += cost;
  to.tokens += tokens;
}
