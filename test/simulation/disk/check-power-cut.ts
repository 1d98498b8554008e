import type { CadreEvent } from '../../../src/core/events/event.ts';
import type { RunId } from '../../../src/core/ids.ts';
import { pure } from '../team/tool-names.ts';
import type { World } from '../world/world.ts';
import type { WrittenCommit } from './disk.ts';

/**
 * Checks that a power cut leaves every run whose launch was acknowledged; the start of each call that may have had an effect
 * outside, and acknowledged ends of runs; everything when the journal syncs every commit. The remainder of a run ends with a whole commit.
 */
export function checkPowerCut(
  world: World,
  before: readonly WrittenCommit[],
  lengths: ReadonlyMap<RunId, number>,
  syncsAlways: boolean,
): void {
  const isLost = (event: CadreEvent): boolean => event.seq > (lengths.get(event.runId) ?? 0);
  const violated = (message: string): void => void world.violated(`T1: after a power cut, ${message}`);
  for (const runId of world.acknowledgedRuns)
    if ((lengths.get(runId) ?? 0) === 0) violated(`${runId} is gone, whose launch was acknowledged`);
  const starts = new Set<string>();
  for (const { events, isAcknowledged } of before) {
    const [first] = events;
    const last = events.at(-1);
    if (first !== undefined && last !== undefined && isLost(last) && !isLost(first))
      violated(`a part of a commit is there, up to ${last.seq} of ${last.runId}`);
    for (const event of events) {
      if (event.type === 'tool.start' && !isLost(event)) starts.add(`${event.runId} ${event.callId} ${event.attempt}`);
      const mustStay = event.type === 'run.end' || syncsAlways;
      if (mustStay && isAcknowledged && isLost(event))
        violated(`${event.type} at ${event.seq} of ${event.runId} is gone, which was acknowledged`);
    }
  }
  for (const { runId, callId, attempt, name } of world.executions)
    if (!pure.has(name) && !starts.has(`${runId} ${callId} ${attempt}`) && world.disk.runIds.includes(runId))
      violated(`the start of ${name} (${callId}, attempt ${attempt}) of ${runId} is gone, which did something outside`);
  world.forgetLost(lengths);
}
