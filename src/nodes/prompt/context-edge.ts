import { viewTokens } from '../../core/prompt/context-size.ts';
import type { SubContext } from '../../core/state/sub-context.ts';

/*
 * Where a view of an agent's history may begin: at a message of the user, or at one of the model, whose calls and their
 * results then stand in view together. Never at a result. Positions count from the start of the history.
 */

/** The position behind an agent's last message. */
export function historyEnd(agent: SubContext): number {
  return agent.history.released + agent.history.messages.length;
}

/** The nearest place at or after a position where a view may begin; the last one there is when there is none. */
export function edgeAt(agent: SubContext, position: number): number {
  const {
    history: { messages, released },
  } = agent;
  const isEdge = (index: number): boolean => messages[index] !== undefined && messages[index].role !== 'tool';
  let index = Math.max(0, position - released);
  while (index < messages.length && !isEdge(index)) index++;
  if (index >= messages.length) {
    index = messages.length - 1;
    while (index > 0 && !isEdge(index)) index--;
  }
  return released + Math.max(0, index);
}

/** The nearest message of the user at or after an edge, when there is one within so many messages. */
export function userEdgeNear(agent: SubContext, edge: number, within: number): number {
  const {
    history: { messages, released },
  } = agent;
  const last = Math.min(messages.length - 1, edge - released + within);
  for (let index = edge - released; index <= last; index++) if (messages[index]?.role === 'user') return released + index;
  return edge;
}

/** Returns the first position from which the messages in view take at most `most` tokens. */
export function positionOfTokens(agent: SubContext, most: number): number {
  let low = agent.context.view.from;
  let high = historyEnd(agent);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (viewTokens(agent, middle) <= most) high = middle;
    else low = middle + 1;
  }
  return low;
}
