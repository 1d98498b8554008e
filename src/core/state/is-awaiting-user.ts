import type { SubContext } from './sub-context.ts';

/** True when an agent waits for a message from its caller or user, not for the answer to a question or for other events. */
export function isAwaitingUser(agent: SubContext): boolean {
  if (agent.status !== 'awaiting_input' || agent.turn.question !== undefined) return false;
  return agent.inbox.awaitingOn === undefined || agent.inbox.awaitingOn.includes('USER_PROMPT');
}
