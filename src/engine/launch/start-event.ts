import path from 'node:path';
import type { EventOf } from '../../core/events/event.ts';
import type { Ids, RunId } from '../../core/ids.ts';
import type { ContentEntry } from '../../core/events/journal.ts';
import type { JsonValue } from '../../core/json.ts';
import type { Limits } from '../../core/profile/profile.ts';
import { titleOf } from '../../core/state/run-title.ts';
import type { LaunchOptions, LaunchRequest } from '../launch-options.ts';
import { frameSeedOf } from '../random-ids.ts';
import { checkRequest } from './run-request.ts';
import { engineVersion } from '../version.ts';

/** Facts that the engine adds to the options of a launch. */
export interface StartFacts {
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
export function startEvent(facts: StartFacts, request: LaunchRequest, options: LaunchOptions): EventOf<'run.start'> {
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
    frameSeed: frameSeedOf(facts.ids),
  };
}
