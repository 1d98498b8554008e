import type { SubContext } from '../state/sub-context.ts';
import type { RunContext } from '../state/run-context.ts';

/** Turns of one agent kept in memory. */
const keptTurns = 128;

/** Fewest messages kept in memory after they have left an agent's prompts; they are released in blocks of this size. */
const keptMessages = 512;

/**
 * Releases parts of an agent's history that no decision can need, so that the memory of a long run stays bounded.
 *
 * Owns: how much of an agent's past its state holds. Does not own: the past itself, which is in the journal.
 * 1. The release depends on the events alone, so that state stays their fold.
 * 2. A message is released only if it lies before the prompt of the turn that just began: a prompt's first message never moves
 *    back, so no prompt can need it again. Without a window no message is ever released.
 * 3. The current turn and the one before are kept.
 * 4. Prompts, origins and archived attempts count messages from the start of the history, released or not.
 */
export function releasePast(run: RunContext, agent: SubContext, promptFrom: number): void {
  if (agent.turn.count > keptTurns) {
    const oldest = `${agent.meta.agentId}.t${agent.turn.count - keptTurns}` as NonNullable<SubContext['turn']['lastId']>;
    run.turns.delete(oldest);
  }
  const outOfView = promptFrom - agent.history.released;
  if (outOfView < 2 * keptMessages) return;
  // The kept part never begins with the results of released calls.
  let gone = keptMessages;
  while (gone < outOfView && agent.history.messages[gone]?.role === 'tool') gone++;
  forgetIds(agent, gone);
  agent.history.messages = agent.history.messages.slice(gone);
  agent.history.origins = agent.history.origins.slice(gone);
  agent.context.tokensReleased = agent.context.tokenTotals[gone - 1] ?? agent.context.tokensReleased;
  agent.context.tokenTotals = agent.context.tokenTotals.slice(gone);
  agent.history.released += gone;
}

/** Ids of calls that no prompt shows again may be reused. */
function forgetIds(agent: SubContext, gone: number): void {
  if (agent.history.wireIds.size === 0) return;
  for (let index = 0; index < gone; index++) {
    const message = agent.history.messages[index];
    if (message?.role !== 'assistant') continue;
    for (const part of message.content) if (part.type === 'tool-call') agent.history.wireIds.delete(part.toolCallId);
  }
}

/** True when a state lacks some of its run's past, which must then be read from the journal. */
export function hasReleased(run: RunContext): boolean {
  if (run.turns.size < run.counters.turns) return true;
  for (const agent of run.agents.values()) {
    if (agent.history.released > 0 || agent.history.archived.some(({ released }) => released > 0)) return true;
  }
  return false;
}
