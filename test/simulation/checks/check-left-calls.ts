import type { CadreEvent } from '../../../src/core/events/event.ts';

/** What a journal says so far of a call that was started. */
interface Started {
  isRunning: boolean;
  mayHaveHappened: boolean;
}

/**
 * Returns what is wrong with calls that ended with their agents: one that was started may have happened, unless its tool only reads; and the
 * end of a run names the calls whose tools have not ended.
 */
export function leftCalls(events: readonly CadreEvent[], pure: ReadonlySet<string>): readonly string[] {
  const found: string[] = [];
  const names = new Map<string, string>();
  const started = new Map<string, Started>();
  const ends = new Set<number>();
  const left = new Set<string>();
  for (const event of events) {
    if (event.type === 'tool.request') names.set(event.callId, event.name);
    else if (event.type === 'tool.start') started.set(event.callId, { isRunning: true, mayHaveHappened: true });
    else if (event.type === 'agent.end') ends.add(event.seq);
    else if (event.type === 'run.resume') left.clear();
    else if (event.type === 'tool.late') left.delete(event.callId);
    else if (event.type === 'tool.end') {
      if (event.isRunning === true) left.add(event.callId);
      const call = started.get(event.callId);
      if (call === undefined || event.cause === undefined || !ends.has(event.cause)) continue;
      const label = `${names.get(event.callId) ?? ''} (${event.callId})`;
      const mayHave = call.mayHaveHappened && !pure.has(names.get(event.callId) ?? '');
      if ((event.status === 'unknown') !== mayHave) found.push(`${label} ended with its agent as ${event.status}`);
      if ((event.isRunning === true) !== call.isRunning)
        found.push(`${label} ended with its agent, and running is ${event.isRunning}`);
    } else if (event.type === 'run.end') {
      const named = (event.running ?? []).map(({ callId }) => callId as string);
      if (named.toSorted().join() !== [...left].toSorted().join())
        found.push(`the end of the run names ${named.join() || 'no call'} as running, which are ${[...left].join() || 'none'}`);
    } else if ('callId' in event && event.callId !== undefined) {
      const call = started.get(event.callId);
      if (call === undefined) continue;
      if (event.type === 'tool.suspend' || event.type === 'tool.answer') call.isRunning = false;
      const isAbsolved =
        (event.type === 'tool.verify' && event.answer === 'not_happened') ||
        (event.type === 'tool.answer' && event.verdict === 'answered' && event.value === 'not_happened');
      if (isAbsolved) call.mayHaveHappened = false;
    }
  }
  return found;
}
