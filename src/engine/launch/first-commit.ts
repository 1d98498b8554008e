import type { RunId } from '../../core/ids.ts';
import type { JsonValue } from '../../core/json.ts';
import type { EngineParts } from '../engine-parts.ts';
import type { LaunchOptions, LaunchRequest } from '../launch-options.ts';
import { runLimits } from '../limit-options.ts';
import type { Input } from '../run/input.ts';
import type { OfferedTools } from '../toolsets/toolset-hold.ts';
import { startEvent } from './start-event.ts';

/** A run that is about to be launched. */
export interface LaunchedRun {
  readonly runId: RunId;
  readonly payload: JsonValue;
  /** Name of the root agent's profile. */
  readonly profile: string;
  readonly request: LaunchRequest;
  readonly options: LaunchOptions;
}

/** Builds the event that starts a run, the texts committed with it, and the input that follows it; known secrets are removed. */
export function firstCommit(
  { runtime, clock, ids, limits: usual }: EngineParts,
  { runId, payload, profile, request, options }: LaunchedRun,
) {
  const { secrets } = runtime.decision.env;
  const limits = runLimits(usual, options.limits);
  const contents = [runtime.snapshot, runtime.code.record()] as const;
  const start = secrets.json(startEvent({ runId, at: clock.now(), payload, profile, limits, ids, contents }, request, options));
  const notes = options.notes === undefined ? {} : { notes: secrets.json(options.notes) };
  const inputOf = (tools: readonly OfferedTools[]): Input => ({ kind: 'start', profile, payload: start.input, ...notes, tools });
  return { start, prefix: { events: [start], contents }, inputOf };
}
