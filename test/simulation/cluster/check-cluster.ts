import type { CadreEvent } from '../../../src/index.ts';
import type { RunId } from '../../../src/core/ids.ts';
import { checkJournal } from '../../../src/testing/check-journal.ts';
import { leftCalls } from '../checks/check-left-calls.ts';
import type { Act } from './cluster-people.ts';
import { expiresAfterMs } from './cluster-team.ts';
import type { ClusterWorld } from './cluster-world.ts';

/** Tools whose calls may be made again after a crash. */
const repeatable: ReadonlySet<string> = new Set(['look', 'look_up', 'note']);
/** Tools that only read. */
const readingTools: ReadonlySet<string> = new Set(['look', 'look_up']);
/** Milliseconds by which a deadline may be applied late when nothing goes wrong. */
const mostLateMs = 3_000;

/** Holds everything that happened against the journal, when all runs are at rest. */
export function checkCluster(world: ClusterWorld, acts: readonly Act[]): void {
  const runs = world.journal.runs() as readonly { readonly runId: RunId; readonly status: string }[];
  for (const { runId, status } of runs) {
    const events = world.journal.read(runId) as readonly CadreEvent[];
    const say = (message: string): void => void world.violated(`${message} (${runId})`);
    for (const { invariant, seq, message } of checkJournal(events, { repeatable })) say(`${invariant} at ${seq}: ${message}`);
    if (!['completed', 'failed', 'cancelled'].includes(status)) say(`a run does not end: it is ${status}`);
    // No run of this world changes hands more than once.
    if (events.filter(({ type }) => type === 'run.resume').length > 1) say('a run was resumed a second time');
    checkCalls(world, events, say);
    for (const problem of leftCalls(events, readingTools)) say(problem);
    checkActs(acts, runId, events, say);
    // A run that an ordinary process had was cut off when the storm ended.
    if (world.faults.total === 0 && world.launcherOf(runId)?.kind === 'launcher') checkCalm(world, events, acts, say);
  }
  for (const { kind, outcome, runId } of acts)
    if (kind === 'launch' && outcome === 'done' && !runs.some((run) => run.runId === runId))
      world.violated(`a launch was acknowledged, and the journal does not have ${runId}`);
}

type Say = (message: string) => void;

/** A call's result says what became of it, and a call that ended well was made. */
function checkCalls(world: ClusterWorld, events: readonly CadreEvent[], say: Say): void {
  const names = new Map(events.flatMap((event) => (event.type === 'tool.request' ? [[event.callId, event.name] as const] : [])));
  for (const event of events) {
    if (event.type === 'tool.late' && isGood(events, event.callId) && !wasShaken(world, event.runId, event.callId))
      say(`the result of ${event.callId} was applied again as a late one`);
    if (event.type !== 'tool.end') continue;
    const name = names.get(event.callId) ?? '';
    const deeds = world.deeds.filter((deed) => deed.runId === event.runId && deed.callId === event.callId && deed.tool === name);
    if (name in { look: 1, note: 1, pay: 1 } && event.status === 'ok' && !deeds.some(({ state }) => state === 'done'))
      say(`${event.callId} ended well, and its tool did not`);
    const isResumed = events.some(({ type, seq }) => type === 'run.resume' && seq < event.seq);
    const isLeft = events.some(({ type, seq }) => type === 'agent.end' && seq === event.cause);
    if (event.status === 'unknown' && !isLeft && !isResumed && !wasShaken(world, event.runId, event.callId))
      say(`${event.callId} has an unknown outcome, and nothing had happened to its worker`);
  }
}

/** True when a call ended with what its tool said, and not because nobody waited for it any more. */
function isGood(events: readonly CadreEvent[], callId: string): boolean {
  return events.some((event) => event.type === 'tool.end' && event.callId === callId && event.status === 'ok');
}

/** True when an attempt at the work of a call was lost, or the process that had the run first. */
function wasShaken({ service, deeds }: ClusterWorld, runId: string, callId: string): boolean {
  const key = `${runId}~${callId}.`;
  return (
    [...service.shaken].some((work) => work.startsWith(key)) ||
    deeds.some((deed) => deed.runId === runId && deed.callId === callId && deed.process.kind === 'first')
  );
}

/** What was acknowledged to people is in the journal, once; what was refused is not. */
function checkActs(acts: readonly Act[], runId: RunId, events: readonly CadreEvent[], say: Say): void {
  const isOver = events.some(({ type }) => type === 'run.end');
  for (const act of acts) {
    if (act.runId !== runId) continue;
    if (act.kind === 'send') {
      const count = events.filter((event) => event.type === 'inbox.add' && JSON.stringify(event.item).includes(act.about)).length;
      if (count > 1) say(`the message ${act.about} is there ${count} times`);
      if (count === 0 && act.outcome === 'done') say(`the message ${act.about} was acknowledged, and is lost`);
      if (count > 0 && act.outcome === 'refused') say(`the message ${act.about} was refused, and is there`);
    }
    if (act.kind === 'cancel' && act.outcome === 'done' && !isOver) say('a cancel was acknowledged, and the run goes on');
    if (act.kind === 'verdict' || act.kind === 'answer') checkAnswer(acts, act, events, say);
  }
}

function checkAnswer(acts: readonly Act[], act: Act, events: readonly CadreEvent[], say: Say): void {
  const answers = events.filter(
    (event) => event.type === 'tool.answer' && event.callId === act.about && event.expired !== true,
  ).length;
  if (act.outcome === 'done' && answers === 0) say(`a decision on ${act.about} was acknowledged, and is lost`);
  const same = acts.filter(({ runId, about, kind }) => runId === act.runId && about === act.about && kind === act.kind);
  const done = same.filter(({ outcome }) => outcome === 'done').length;
  if (done > answers) say(`${done} decisions on ${act.about} were acknowledged, and ${answers} are there`);
  if (same.length === 1 && act.outcome === 'refused' && answers > 0)
    say(`a decision on ${act.about} was refused, and is there: it was applied twice`);
}

/** Without faults each model is asked once for a turn, and deadlines are applied in time. */
function checkCalm(world: ClusterWorld, events: readonly CadreEvent[], acts: readonly Act[], say: Say): void {
  for (const event of events) {
    if (event.type === 'turn.start') {
      const asked = world.asked.get(`${event.runId}/${event.turnId}`) ?? 0;
      if (asked > 1) say(`the model was asked ${asked} times for ${event.turnId}, and nothing had gone wrong`);
    }
    if (event.type !== 'tool.suspend' || event.on.kind !== 'approval') continue;
    if (acts.some(({ about, runId }) => about === event.callId && runId === event.runId)) continue;
    const end = events.find((each) => each.type === 'tool.end' && each.callId === event.callId && each.seq > event.seq);
    if (end !== undefined && end.at - event.at > expiresAfterMs + mostLateMs && !acts.some(({ kind }) => kind === 'cancel'))
      say(`an approval lapsed ${end.at - event.at} ms after it was asked for`);
  }
}
