import type { EventOf, EventType } from '../events/event.ts';
import type { AgentId } from '../ids.ts';
import type { RunContext } from '../state/run-context.ts';
import type { SubContext } from '../state/sub-context.ts';
import { CadreError } from '../error.ts';

/** Folds of event types. Each changes a run's state in place. */
export type Folds<Type extends EventType> = {
  readonly [Each in Type]: (run: RunContext, event: EventOf<Each>) => void;
};

/** Folds of event types that name an agent. */
export type AgentFolds<Type extends EventType> = {
  readonly [Each in Type]: (run: RunContext, agent: SubContext, event: EventOf<Each>) => void;
};

/** Returns the agent of an id. Throws STORE_CORRUPT for an agent that the journal never started. */
export function agentOf(run: RunContext, agentId: AgentId): SubContext {
  return run.agents.get(agentId) ?? failUnknownAgent(run, agentId);
}

/** Throws STORE_CORRUPT for an agent that the journal never started. */
export function failUnknownAgent(run: RunContext, agentId: AgentId): never {
  throw new CadreError(
    'STORE_CORRUPT',
    `run ${run.meta.runId}: event ${run.seq + 1} names agent ${agentId}, which was never started`,
  );
}
