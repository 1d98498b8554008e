import type { CadreEvent } from '../../src/core/event.ts';
import { foldEvents } from '../../src/core/fold/apply-event.ts';
import type { RunState } from '../../src/core/state.ts';
import { checkJournal, promptProblems, type CheckedPrompt } from '../../src/testing/index.ts';
import type { Host } from './host.ts';
import { repeatable } from './sim-tools.ts';
import type { World } from './world.ts';

/** Holds a run that came to rest against everything that must be true of it. */
export async function checkRun(world: World, host: Host): Promise<void> {
  const { run } = host;
  if (run === undefined) throw world.violated('T4: at rest, and the run was never launched');
  const events = world.disk.events(run.id);
  for (const { invariant, seq, message } of checkJournal(events, { repeatable }))
    world.violated(`${invariant} at ${seq}: ${message}`);
  for (const request of world.requests)
    for (const problem of promptProblems(JSON.parse(request.text) as CheckedPrompt))
      world.violated(`I1: a strict provider refuses a request of ${request.turnId}: ${problem}`);
  // Putting whole states side by side takes long: every fourth seed does it. Who could not read cannot know the fold.
  const isComparable = world.seed % 4 === 0 && world.faults.counts['journal does not read'] === undefined;
  if (isComparable && plain(run.state) !== plain(foldEvents(events)))
    world.violated('I4: the state is not the fold of the journal');
  checkFaults(world, events);
  checkRest(world, host, events);
}

/** A fault of the engine itself is never the answer to a fault of something else. */
function checkFaults(world: World, events: readonly CadreEvent[]): void {
  for (const event of events) {
    const error = 'error' in event && typeof event.error === 'object' ? event.error : undefined;
    if (error?.code === 'INTERNAL' && event.type !== 'tool.end') world.violated(`${event.type} at ${event.seq}: ${error.message}`);
  }
}

/** T4: a run at rest has ended, or waits for somebody who can be named. */
function checkRest(world: World, host: Host, events: readonly CadreEvent[]): void {
  const { run } = host;
  if (run === undefined || run.state.outcome !== undefined) return;
  if (run.state.status !== 'awaiting') world.violated(`T4: at rest, and the run is ${run.state.status}`);
  const waits = [...run.state.agents.values()].some(({ status }) => status === 'awaiting_input');
  if (!waits) world.violated(`T4: at rest after ${events.length} events, and nobody waits for anybody`);
}

/** State as text: maps and sets as lists, without what is undefined. */
function plain(state: RunState | undefined): string {
  return JSON.stringify(state, (_key, value: unknown) => (value instanceof Map || value instanceof Set ? [...value] : value)) ?? '';
}
