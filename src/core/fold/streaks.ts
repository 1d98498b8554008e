import type { EventOf } from '../event.ts';
import type { AgentState } from '../state.ts';

const longestCycle = 4;
const keptSignatures = 12;

/** Counts what a reply says about progress: calls or none, the same words again, nothing at all. */
export function countReply(agent: AgentState, reply: NonNullable<EventOf<'model.end'>['reply']>): void {
  const { counters } = agent;
  const hasCalls = reply.toolCalls.length > 0;
  counters.noToolCallStreak = hasCalls ? 0 : counters.noToolCallStreak + 1;
  const text = reply.text.trim();
  counters.emptyReplyStreak = text === '' && !hasCalls ? counters.emptyReplyStreak + 1 : 0;
  const repeats = text !== '' && !hasCalls && text === agent.lastReply.trim();
  counters.duplicateReplyStreak = repeats ? counters.duplicateReplyStreak + 1 : 0;
  if (text !== '') agent.lastReply = reply.text;
}

/**
 * Counts repeated work: `signature` stands for one turn's calls and their results. A streak grows while the newest
 * signature continues a cycle of one to four turns, so A-B-A-B counts as well as A-A.
 */
export function countSignature(agent: AgentState, signature: string): void {
  const { signatures, counters } = agent;
  signatures.push(signature);
  if (signatures.length > keptSignatures) signatures.shift();
  counters.sameActionSameResultStreak = cycleRepeats(signatures);
}

/** How many times in a row the newest cycle repeats, beyond its first run. */
function cycleRepeats(signatures: readonly string[]): number {
  let best = 0;
  for (let length = 1; length <= longestCycle; length++) {
    let matched = 0;
    for (let index = signatures.length - 1; index - length >= 0; index--) {
      if (signatures[index] !== signatures[index - length]) break;
      matched++;
    }
    best = Math.max(best, Math.floor(matched / length));
  }
  return best;
}
