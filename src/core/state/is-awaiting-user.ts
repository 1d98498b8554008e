import type { SubContext } from './state.ts';

/** Tells whether an agent waits for whoever gave it its work: for words, not for a person's answer to a question or for other events. */
export function isAwaitingUser(agent: SubContext): boolean {
  if (agent.status !== 'awaiting_input' || agent.question !== undefined) return false;
  return agent.awaitingOn === undefined || agent.awaitingOn.includes('USER_PROMPT');
}
