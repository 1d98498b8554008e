import type { RunId, Ids } from '../../core/ids.ts';
import type { JsonValue } from '../../core/json.ts';
import type { EngineParts } from '../engine-parts.ts';
import type { LaunchOptions, LaunchRequest } from '../launch-options.ts';
import { runLimits } from '../limit-options.ts';
import type { Input } from '../run/input.ts';
import type { OfferedTools } from '../toolsets/toolset-hold.ts';
import path from 'node:path';
import type { EventOf } from '../../core/events/event.ts';
import type { ContentEntry } from '../../core/events/journal.ts';
import type { Limits } from '../../core/profile/profile.ts';
import { titleOf } from '../../nodes/turn/run-titles.ts';
import { frameSeedOf } from '../random-ids.ts';
import { readBy } from '../input/read-by.ts';
import { checkRequest } from './check-launch.ts';
import { engineVersion } from '../version.ts';

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
  const inputOf = (tools: readonly OfferedTools[]): Input => ({
    kind: 'start',
    profile,
    payload: start.input,
    ...notes,
    ...readBy(options),
    tools,
  });
  return { start, prefix: { events: [start], contents }, inputOf };
}

/** Facts that the engine adds to the options of a launch. */
interface StartFacts {
  readonly runId: RunId;
  readonly at: number;
  readonly profile: string;
  readonly payload: JsonValue;
  /** Profile files, and tools given by code. */
  readonly contents: readonly [profiles: ContentEntry, given: ContentEntry];
  readonly limits: Limits;
  readonly ids: Ids;
}

/** Returns the first event of a run, which records everything the run depends on. */
function startEvent(facts: StartFacts, request: LaunchRequest, options: LaunchOptions): EventOf<'run.start'> {
  const [profiles, given] = facts.contents;
  return {
    type: 'run.start',
    runId: facts.runId,
    seq: 1,
    at: facts.at,
    profile: facts.profile,
    title: request.title ?? titleOf(facts.payload),
    input: facts.payload,
    ...(options.request === undefined ? {} : { request: checkRequest(options.request) }),
    ...(request.requestHash === undefined ? {} : { requestHash: request.requestHash }),
    profiles: profiles.hash,
    given: given.hash,
    ...(options.llmConfig === undefined ? {} : { llmConfig: options.llmConfig }),
    limits: facts.limits,
    ...(options.workspace === undefined ? {} : { workspace: path.resolve(options.workspace) }),
    engineVersion,
    ...readBy(options),
    frameSeed: frameSeedOf(facts.ids),
  };
}
