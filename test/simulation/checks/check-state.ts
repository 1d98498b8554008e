import type { CadreEvent } from '../../../src/core/events/event.ts';
import type { PromptMessage } from '../../../src/core/prompt/message.ts';
import type { SubContext } from '../../../src/core/state/sub-context.ts';
import type { Run } from '../../../src/index.ts';
import type { World } from '../world/world.ts';

/** Holds what memory has against what must be true of it whatever happened: no call parted from its result, every observed turn counted once. */
export function checkState(world: World, run: Run, events: readonly CadreEvent[]): void {
  for (const agent of run.state.agents.values()) {
    const parted = partedResult(agent.history.messages);
    if (parted !== undefined) world.violated(`I1: in the memory of ${agent.meta.agentId}, ${parted}`);
    if (agent.history.origins.length !== agent.history.messages.length)
      world.violated(
        `I10: ${agent.meta.agentId} has ${agent.history.messages.length} messages, and knows where ${agent.history.origins.length} came from`,
      );
    if (agent.history.released > 0) world.reached('messages released');
    checkTally(world, agent, events);
  }
  const logged = fired(events, 'count');
  const { log, tally } = run.state.team.shared as { readonly log?: readonly unknown[]; readonly tally?: number };
  if (log !== undefined && log.length !== logged)
    world.violated(`I7: observers appended ${logged} entries, and the team has ${log.length}`);
  const counted = fired(events, 'tally');
  if (tally !== undefined && tally !== counted)
    world.violated(`I7: an observer counted ${counted} turns of the team, which has ${tally}`);
  if (counted > 0) world.reached('observer in code');
  if (logged > 0) world.reached('state updated');
}

function checkTally(world: World, { meta, flags }: SubContext, events: readonly CadreEvent[]): void {
  const { tally } = flags as { readonly tally?: number };
  if (tally === undefined) return;
  const start = events.findLastIndex(
    (event) => event.type === 'agent.restart' && event.agentId === meta.agentId && event.keepsHistory !== true,
  );
  const counted = fired(start < 0 ? events : events.slice(start), 'tally', meta.agentId);
  if (tally !== counted) world.violated(`I7: an observer counted ${counted} turns of ${meta.agentId}, which has ${tally}`);
}

/** Counts the effects of an observer. */
function fired(events: readonly CadreEvent[], id: string, agentId?: string): number {
  let count = 0;
  for (const event of events) {
    if ((event.type !== 'turn.decide' && event.type !== 'turn.start') || (agentId !== undefined && event.agentId !== agentId))
      continue;
    count += event.observers.filter((observer) => observer.id === id && observer.fired).length;
  }
  return count;
}

/** A result in a history that does not stand behind its call; whatever was left out or released, they go together. */
function partedResult(messages: readonly PromptMessage[]): string | undefined {
  let calls = new Set<string>();
  for (const message of messages) {
    if (message.role === 'assistant')
      calls = new Set(message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : [])));
    else if (message.role === 'tool') {
      const alone = message.content.find(({ toolCallId }) => !calls.has(toolCallId));
      if (alone !== undefined) return `the result of ${alone.toolCallId} stands without its call`;
    } else calls = new Set();
  }
  return undefined;
}
