import type { SubContext } from './sub-context.ts';

/** Tells whether an agent waits for whoever gave it its work: for words, not for a person's answer to a question or for other events. */
export function isAwaitingUser(agent: SubContext): boolean {
  if (agent.status !== 'awaiting_input' || agent.turn.question !== undefined) return false;
  return agent.inbox.awaitingOn === undefined || agent.inbox.awaitingOn.includes('USER_PROMPT');
}
