import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import { foldEvents } from '../../core/fold/apply-event.ts';
import type { RunId } from '../../core/ids.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { EngineParts, ProfileRuntime } from '../engine-parts.ts';
import type { ForkOptions } from '../launch-options.ts';
import { checkArgument, shownValue } from '../check-arguments.ts';
import { runLimits } from '../limit-options.ts';
import type { Resumption, ResumeNote, ResumeMessage } from '../recovery/recover.ts';
import { checkAgent, differencesOf } from '../recovery/resume-plan.ts';
import { forkedEvents } from './forked-events.ts';
import { type RecordedAnswers, recordedAnswers } from './recorded-answers.ts';
import type { ForkEdit } from './fork-edit.ts';
import { checkForkEdits, turnToRetake } from './fork-edits.ts';
import { freeRunId } from './free-run-id.ts';
import { profileRuntimeOf } from './run-profile-runtime.ts';
import { externalMessage } from '../input/external-item.ts';

/** A fork, checked before anything is written. */
export interface ForkPlan {
  readonly runId: RunId;
  /** History that it copies. */
  readonly events: readonly CadreEvent[];
  readonly state: RunContext;
  readonly runtime: ProfileRuntime;
  readonly answers: RecordedAnswers;
  /** What it begins with, apart from the history. */
  readonly begins: Pick<Resumption, 'said' | 'edits' | 'profiles' | 'notes'>;
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
  const point = { at: options.at, before: retaken, from, to: runId };
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
    answers: recordedAnswers(recorded, options.recordedAnswers ?? []),
    begins: {
      said: await forkMessage(parts, state, options.message),
      edits,
      ...(isOther ? { profiles: runtime.snapshot, notes: [await profilesNote(parts, state, runtime)] } : {}),
    },
  };
}

/** The fork's own settings, recorded in its `run.start`. */
function withOptions(
  { limits: ofEngine }: EngineParts,
  events: readonly CadreEvent[],
  { llmConfig, limits, workspace }: ForkOptions,
): readonly CadreEvent[] {
  return events.map((event) =>
    event.type === 'run.start'
      ? {
          ...event,
          ...(llmConfig === undefined ? {} : { llmConfig }),
          ...(limits === undefined ? {} : { limits: runLimits(ofEngine, limits) }),
          ...(workspace === undefined ? {} : { workspace: path.resolve(workspace) }),
        }
      : event,
  );
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
  message: ForkOptions['message'],
): Promise<ResumeMessage | undefined> {
  if (message === undefined) return undefined;
  const { runId } = fork.meta;
  const root = fork.rootAgentId === undefined ? undefined : fork.agents.get(fork.rootAgentId);
  if (root === undefined || root.status === 'ended')
    throw new CadreError('AGENT_ENDED', `the first agent of run ${runId} has ended where it is forked; fork it at an earlier turn`);
  const item = await externalMessage(message, undefined, workspaceOf(fork.meta));
  return { to: root.meta.agentId, item: { ...item, itemId: ids.itemId() } };
}
