import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import type { CadreEvent, EventOf } from '../../core/events/event.ts';
import { foldEvents } from '../../core/fold/apply-event.ts';
import type { RunId, AgentId } from '../../core/ids.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { EngineParts, ProfileRuntime } from '../engine-parts.ts';
import type { ForkOptions } from '../launch-options.ts';
import { checkArgument, shownValue } from '../check-arguments.ts';
import { runLimits } from '../limit-options.ts';
import type { Resumption, ResumeNote, ResumeMessage } from '../recovery/recover.ts';
import { checkAgent, differencesOf } from '../recovery/resume-plan.ts';
import { type RecordedAnswers, recordedAnswers } from './recorded-answers.ts';
import type { ForkEdit } from './fork-edit.ts';
import { checkForkEdits, turnToRetake } from './fork-edits.ts';
import { freeRunId } from './free-run-id.ts';
import { profileRuntimeOf } from './run-profile-runtime.ts';
import { readBy } from '../input/read-by.ts';
import { externalMessage } from '../input/external-item.ts';
import { prepStart } from '../../inspect/rerender/prep-start.ts';
import { assertOwnRun } from '../recovery/imported-run.ts';

/** A fork, checked before anything is written. */
export interface ForkPlan {
  readonly runId: RunId;
  /** History that it copies. */
  readonly events: readonly CadreEvent[];
  readonly state: RunContext;
  readonly runtime: ProfileRuntime;
  readonly answers: RecordedAnswers;
  /** What it begins with, apart from the history. */
  readonly begins: Pick<Resumption, 'by' | 'said' | 'edits' | 'profiles' | 'notes'>;
}

/** Plans a fork: its history, profiles, edits and first message. */
export async function planFork(parts: EngineParts, from: RunId, options: ForkOptions): Promise<ForkPlan> {
  const { journal, ids } = parts;
  const { edits = [] } = options;
  checkEdits(edits);
  if (options.at !== undefined && options.before !== undefined)
    throw new CadreError('OPTION_INVALID', 'engine.fork: `at` and `before` name two places; give one of them');
  if (options.profiles !== undefined && options.profiles !== 'current' && options.profiles !== 'recorded')
    throw new CadreError(
      'OPTION_INVALID',
      `engine.fork: profiles must be recorded or current, not ${shownValue(options.profiles)}`,
    );
  const recorded = await journal.read(from);
  const runId = options.runId === undefined ? ids.runId() : await freeRunId(journal, options.runId);
  const retaken = options.before ?? (options.at === undefined ? turnToRetake(recorded, edits) : undefined);
  const point = { at: options.at, before: retaken, from, to: runId, forkedAt: parts.clock.now() };
  const events = withOptions(parts, forkedEvents(recorded, point), options);
  const state = foldEvents(events);
  if (state === undefined) throw new CadreError('RUN_UNKNOWN', `run ${from} has no events to fork from`);
  checkForkEdits(state, edits);
  const runtime = options.profiles === 'current' ? parts.runtime : await profileRuntimeOf(parts, state);
  if (options.profiles === 'current' || options.llmConfig !== undefined)
    for (const agent of state.agents.values()) if (agent.status !== 'ended') checkAgent(parts, runtime, state, agent);
  const isOther = runtime.snapshot.hash !== state.meta.profiles;
  return {
    runId,
    events,
    state,
    runtime,
    answers: recordedAnswers(recorded, options.recordedAnswers ?? [], state),
    begins: {
      ...readBy(options),
      said: await forkMessage(parts, state, options),
      edits,
      ...(isOther ? { profiles: runtime.snapshot, notes: [await profilesNote(parts, state, runtime)] } : {}),
    },
  };
}

/** The fork's own settings, recorded in its `run.start`. */
function withOptions(
  { limits: ofEngine }: EngineParts,
  events: readonly CadreEvent[],
  options: ForkOptions,
): readonly CadreEvent[] {
  const { llmConfig, limits, workspace } = options;
  return events.map((event) =>
    event.type === 'run.start'
      ? {
          ...withoutBy(event),
          ...readBy(options),
          ...(llmConfig === undefined ? {} : { llmConfig }),
          ...(limits === undefined ? {} : { limits: runLimits(ofEngine, limits) }),
          ...(workspace === undefined ? {} : { workspace: path.resolve(workspace) }),
        }
      : event,
  );
}

/** The person who launched the original is on record there. */
function withoutBy({ by: _, ...event }: EventOf<'run.start'>): EventOf<'run.start'> {
  return event;
}

async function profilesNote(parts: EngineParts, state: RunContext, runtime: ProfileRuntime): Promise<ResumeNote> {
  const differences = await differencesOf(parts, state, runtime);
  return { code: 'PROFILES_CHANGED', message: `the fork goes on with other profiles: ${differences}` };
}

const editTypes = ['message', 'result', 'state'] as const;

/** What code hands over is not always what its types say. */
function checkEdits(edits: readonly ForkEdit[]): void {
  for (const edit of edits) {
    checkArgument('engine.fork: edits[]', edit, 'object');
    if (!editTypes.includes(edit.type))
      throw new CadreError(
        'OPTION_INVALID',
        `engine.fork: the type of an edit is ${editTypes.join(', ')}, not ${shownValue(edit.type)}`,
      );
    if (edit.type === 'state') checkArgument('engine.fork: edits[].path', edit.path, 'name');
    else checkArgument('engine.fork: edits[]', edit.type === 'message' ? edit.itemId : edit.callId, 'name');
  }
}

/** Returns the first message of a fork, parsed and checked before anything is written. */
async function forkMessage(
  { ids, workspaceOf }: Pick<EngineParts, 'ids' | 'workspaceOf'>,
  fork: RunContext,
  { message, by }: ForkOptions,
): Promise<ResumeMessage | undefined> {
  if (message === undefined) return undefined;
  const { runId } = fork.meta;
  const root = fork.rootAgentId === undefined ? undefined : fork.agents.get(fork.rootAgentId);
  if (root === undefined || root.status === 'ended')
    throw new CadreError('AGENT_ENDED', `the first agent of run ${runId} has ended where it is forked; fork it at an earlier turn`);
  const item = await externalMessage(message, undefined, workspaceOf(fork.meta));
  return { to: root.meta.agentId, item: { ...item, itemId: ids.itemId(), ...readBy({ by }) } };
}

/** Where a fork leaves its original: after a sequence number, or before a turn, which it takes again. */
interface ForkPoint {
  readonly at: number | undefined;
  readonly before: string | undefined;
  readonly from: RunId;
  readonly to: RunId;
  /** Wall time of the fork. */
  readonly forkedAt: number;
}

/**
 * Returns the first events of a fork: the run's history up to a sequence number, rounded down to the end of a turn, or up to the preparation
 * of a turn, under a new id. Fails with RUN_IMPORTED, and with OPTION_INVALID for a turn that was not recorded.
 */
function forkedEvents(events: readonly CadreEvent[], fork: ForkPoint): readonly CadreEvent[] {
  const [first] = events;
  if (first?.type === 'run.start') assertOwnRun(first);
  const end = fork.before === undefined ? forkPoint(events, fork.at ?? Number.MAX_SAFE_INTEGER) : startOf(events, fork.before);
  const kept = events.slice(0, end);
  const parentRun = { runId: fork.from, at: kept.length, forkedAt: fork.forkedAt };
  return kept.map((event): CadreEvent =>
    event.type === 'run.start' ? { ...event, runId: fork.to, parentRun } : { ...event, runId: fork.to },
  );
}

/** Returns how many events come before a turn and its preparation. What it reads waits in the inbox there, as after a crash at that moment. */
function startOf(events: readonly CadreEvent[], turnId: string): number {
  const index = events.findIndex((event) => event.type === 'turn.start' && event.turnId === turnId);
  if (index >= 0) return prepStart(events, index);
  const turns = events.flatMap((event) => (event.type === 'turn.start' ? [event.turnId] : []));
  const names = turns.length > 10 ? `… ${turns.slice(-10).join(', ')}` : turns.join(', ') || 'none';
  throw new CadreError('OPTION_INVALID', `engine.fork: before: the run has no turn '${turnId}'; it has ${names}`);
}

/** Returns how many events of a run a fork may copy: up to the last turn that ended within them while its first agent was still active. */
function forkPoint(events: readonly CadreEvent[], at: number): number {
  const root = events.find((event) => event.type === 'agent.start')?.agentId;
  const end = events.findIndex((event) => event.type === 'agent.end' && event.agentId === root);
  const endings = endingsOf(events, root);
  for (let index = Math.min(at, end < 0 ? events.length : end) - 1; index > 0; index--) {
    const event = events[index];
    // A turn is cancelled with its agent, and the agent's caller learns of it only after both.
    if (event?.type !== 'turn.end' || event.status === 'cancelled') continue;
    if (!endings.some(({ from, to }) => from <= index && index < to)) return index + 1;
  }
  const first = events.findIndex((event) => event.type === 'turn.start');
  return first < 0 ? events.length : first;
}

interface Ending {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns, for each agent, the index of its last turn's end and that of the agent's end. A cut between the two would leave an agent that
 * never ends, and its caller waiting forever. Omits the first agent: a fork that keeps it after its last turn waits for a message.
 */
function endingsOf(events: readonly CadreEvent[], root: AgentId | undefined): readonly Ending[] {
  const turnEnds = new Map<number, number>();
  const endings: Ending[] = [];
  for (const [index, event] of events.entries()) {
    if (event.type === 'turn.end') turnEnds.set(event.seq, index);
    const from = event.type === 'agent.end' && event.agentId !== root ? turnEnds.get(event.cause ?? 0) : undefined;
    if (from !== undefined) endings.push({ from, to: index });
  }
  return endings;
}
