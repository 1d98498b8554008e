import type { CadreEvent } from '../../../src/core/events/event.ts';
import type { RunId } from '../../../src/core/ids.ts';
import { foldEvents } from '../../../src/core/fold/apply-event.ts';
import type { RunContext } from '../../../src/core/state/run-context.ts';
import { checkJournal } from '../../../src/testing/index.ts';
import { checkApprovals } from './check-approvals.ts';
import { checkCosts } from './check-costs.ts';
import { checkExpiries } from './check-expiries.ts';
import { leftCalls } from './check-left-calls.ts';
import { checkModules } from './check-modules.ts';
import { checkRequests } from './check-requests.ts';
import { checkState } from './check-state.ts';
import { countMechanisms } from './count-mechanisms.ts';
import type { Run } from '../../../src/index.ts';
import type { Host } from '../process/host.ts';
import { overlaps } from './check-overlap.ts';
import { pure, repeatable } from '../team/tool-names.ts';
import type { Execution, World } from '../world/world.ts';

/** Checks every invariant of all runs, which are at rest. */
export function checkRuns(world: World, host: Host): void {
  for (const runId of world.disk.runIds) {
    const run = host.runs.get(runId);
    if (run === undefined) throw world.violated(`T4: at rest, and ${runId} was never taken up`);
    checkRun(world, host, run);
  }
  checkWriters(world);
}

function checkRun(world: World, host: Host, run: Run): void {
  const events = world.disk.events(run.id);
  for (const overlap of overlaps(events)) world.violated(overlap);
  for (const problem of leftCalls(events, pure)) world.violated(problem);
  for (const { invariant, seq, message } of checkJournal(events, { repeatable }))
    world.violated(`${invariant} at ${seq}: ${message}`);
  checkRequests(world, run.id, events);
  checkResults(world, host, run, events);
  checkModules(world, events);
  checkApprovals(world, events);
  checkExpiries(world, events);
  checkCosts(world, run, events);
  checkState(world, run, events);
  countMechanisms(world, events);
  // Putting whole states side by side takes long: every fourth seed does it. Who could not read cannot know the fold.
  const isComparable = world.seed % 4 === 0 && world.faults.counts['journal does not read'] === undefined;
  if (isComparable && plain(run.state) !== plain(foldEvents(events)))
    world.violated('I4: the state is not the fold of the journal');
  checkFaults(world, events);
  checkRest(world, run, events);
}

/** A fault of the engine itself is never the answer to a fault of something else. */
function checkFaults(world: World, events: readonly CadreEvent[]): void {
  for (const event of events) {
    const error = 'error' in event && typeof event.error === 'object' ? event.error : undefined;
    if (error?.code === 'INTERNAL' && event.type !== 'tool.end') world.violated(`${event.type} at ${event.seq}: ${error.message}`);
  }
}

/** Toolsets whose results are the reports of other agents. */
const reporting: ReadonlySet<string> = new Set(['agents', 'phases', 'dispatch_tools']);

/** Each result that is on record is what a tool said for that very call; and what a tool said is on record, late or not. */
function checkResults(world: World, host: Host, run: Run, events: readonly CadreEvent[]): void {
  const said = new Map(ownExecutions(world, run, events).map(({ mark, callId }) => [mark, callId as string]));
  const executed = new Set(said.values());
  const recorded = new Set<string>();
  // The report of an agent holds what its own tools said. A pure tool that ran for a reply which was lost had the same id.
  const quoting = new Set(
    events.flatMap((event) =>
      event.type === 'tool.request' && event.toolset !== undefined && reporting.has(event.toolset) ? [event.callId] : [],
    ),
  );
  for (const event of events) {
    if ((event.type !== 'tool.end' && event.type !== 'tool.late') || !executed.has(event.callId) || quoting.has(event.callId))
      continue;
    for (const mark of JSON.stringify(event.content).match(/«r\d+»/g) ?? []) {
      recorded.add(mark);
      if (event.status === 'ok' && said.get(mark) !== event.callId)
        world.violated(`${event.type} of ${event.callId} holds ${mark}, the result of ${said.get(mark) ?? 'nothing'}`);
    }
  }
  // A process that was closed or halted on the way may have had no caller left to notify; a store that refuses commits after
  // the end of a run, or has no space for them, also halts it, when no caller waits for it any more.
  const { counts } = world.faults;
  const isRefused = (['journal refuses', 'journal forgets to say', 'disk full'] as const).some(
    (fault) => counts[fault] !== undefined,
  );
  if (host.hasFailed || (isRefused && run.state.outcome !== undefined)) return;
  for (const { host: by, runId, isSaid, mark, name, callId } of world.executions)
    if (by === host.id && runId === run.id && isSaid && !recorded.has(mark))
      world.violated(`what ${name} (${callId}) said is nowhere on record: ${mark}`);
}

/** Returns the executions of a run: its own, and those before the fork for calls it inherited. */
function ownExecutions({ executions, disk }: World, run: Run, events: readonly CadreEvent[]): readonly Execution[] {
  const ancestors = new Set<RunId>();
  for (let above = disk.factsOf(run.id).parent; above !== undefined; above = disk.factsOf(above).parent) ancestors.add(above);
  const at = run.state.meta.parentRun?.at ?? 0;
  const taken = new Set(events.slice(0, at).flatMap((event) => (event.type === 'tool.request' ? [event.callId] : [])));
  return executions.filter(({ runId, callId }) => runId === run.id || (ancestors.has(runId) && taken.has(callId)));
}

/** I8: one writer of a run at a time, each later than the one before; and no commit parts a call's end from the item that tells of it. */
function checkWriters(world: World): void {
  const epochs = new Map<string, number>();
  for (const commit of world.disk.commits) {
    const epoch = epochs.get(commit.runId) ?? 0;
    if (commit.epoch < epoch) world.violated(`I8: a writer of epoch ${commit.epoch} writes after one of epoch ${epoch}`);
    epochs.set(commit.runId, commit.epoch);
    const last = commit.events.at(-1);
    // A fork takes over what was there up to the end of a turn.
    if (last?.type === 'tool.end')
      world.violated(`a commit ends with ${last.type} at ${last.seq}: what follows from it is not in the same commit`);
  }
}

/** Checks T4: a run at rest has ended, or waits for a known person or agent. */
function checkRest(world: World, run: Run, events: readonly CadreEvent[]): void {
  if (run.state.outcome !== undefined) return;
  if (run.state.status !== 'awaiting') world.violated(`T4: at rest, and the run is ${run.state.status}`);
  if (run.state.pending !== run.pending.length)
    world.violated(`T4: ${run.pending.length} requests wait for a person, and the state counts ${run.state.pending}`);
  // A fork may begin where the last turn of its first agent ended: that agent waits for a message.
  const isFork = run.state.meta.parentRun !== undefined;
  const waits = [...run.state.agents.values()].some(({ status }) => status === 'awaiting_input' || (isFork && status === 'ready'));
  if (!waits) world.violated(`T4: at rest after ${events.length} events, and nobody waits for anybody`);
}

/** Returns state as text: maps and sets as lists, without undefined values. */
function plain(state: RunContext | undefined): string {
  return JSON.stringify(state, (_key, value: unknown) => (value instanceof Map || value instanceof Set ? [...value] : value)) ?? '';
}
