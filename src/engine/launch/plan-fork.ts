import { CadreError } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import { foldEvents } from '../../core/fold/apply-event.ts';
import type { RunId } from '../../core/ids.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { EngineParts, ProfileRuntime } from '../engine-parts.ts';
import type { ForkOptions } from '../launch-options.ts';
import type { ResumeMessage } from '../recovery/recover.ts';
import { forkMessage } from './fork-message.ts';
import { forkedEvents } from './forked-events.ts';
import { freeRunId } from './free-run-id.ts';
import { profileRuntimeOf } from './run-profile-runtime.ts';

/** A fork, checked before anything is written. */
export interface ForkPlan {
  readonly runId: RunId;
  /** History that it copies. */
  readonly events: readonly CadreEvent[];
  readonly state: RunContext;
  readonly runtime: ProfileRuntime;
  readonly said: ResumeMessage | undefined;
}

/** Plans a fork: its history, profiles and first message. */
export async function planFork(parts: EngineParts, from: RunId, options: ForkOptions): Promise<ForkPlan> {
  const { journal, ids } = parts;
  const recorded = await journal.read(from);
  const runId = options.runId === undefined ? ids.runId() : await freeRunId(journal, options.runId);
  const events = forkedEvents(recorded, { at: options.at, from, to: runId });
  const state = foldEvents(events);
  if (state === undefined) throw new CadreError('RUN_UNKNOWN', `run ${from} has no events to fork from`);
  const runtime = await profileRuntimeOf(parts, state);
  return { runId, events, state, runtime, said: await forkMessage(parts, state, options.message) };
}
