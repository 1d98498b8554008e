import type { SubContext, CallState } from './state.ts';

/** True when an agent waits for the answer to a question of its own. */
export function isAsking(agent: SubContext): boolean {
  return agent.question !== undefined && agent.status === 'awaiting_input';
}

/** True when a call waits for a person: for an approval, or for an answer. */
export function waitsForPerson({ status, waitFor }: Pick<CallState, 'status' | 'waitFor'>): boolean {
  return status === 'suspended' && waitFor !== undefined && waitFor.kind !== 'agents';
}
