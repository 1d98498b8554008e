import type { SubContext } from './sub-context.ts';
import type { CallState } from './turn-state.ts';

/** True when an agent waits for the answer to its own question. */
export function isAsking(agent: SubContext): boolean {
  const { question } = agent.turn;
  return question !== undefined && question.isAnswered !== true && agent.status === 'awaiting_input';
}

/** True when a call waits for a person: for an approval, or for an answer. */
export function isAwaitingPerson({ status, waitFor }: Pick<CallState, 'status' | 'waitFor'>): boolean {
  return status === 'suspended' && waitFor !== undefined && waitFor.kind !== 'agents';
}

/** True when an agent waits for a message from its caller or user, not for the answer to a question or for other events. */
export function isAwaitingUser(agent: SubContext): boolean {
  if (agent.status !== 'awaiting_input' || agent.turn.question !== undefined) return false;
  return agent.inbox.awaitingOn === undefined || agent.inbox.awaitingOn.includes('USER_PROMPT');
}
