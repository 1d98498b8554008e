import type { RunId } from '../ids.ts';
import { list, optional, record } from '../schema/records.ts';
import { as, count, json, map, number, oneOf, text, time } from '../schema/values.ts';
import { attempts, contentHash, errorRecord, limits, runId, usage } from './common-parts.ts';
import type { ContentHash } from '../ids.ts';
import { defineEvent, type DraftOf, ofAnyTurn, ofRun } from './define-event.ts';
import { oneLine } from './one-line.ts';
import { runningCalls } from './tool-parts.ts';
import { callNames } from './call-names.ts';
import { changesText, type ProfileChange } from './profile-edit.ts';

/** Origin and time of an imported run. */
export interface RunImport {
  /** The file, as named by the import. */
  readonly from: string;
  /** Milliseconds since 1970 of the import, and of the bundle's export. */
  readonly at: number;
  readonly exportedAt: number;
  /** Its original id, when it has another one here. */
  readonly runId?: RunId;
  /** The bundle was redacted. */
  readonly redacted: boolean;
  /** Content hash of the facts that views need of its profiles, as JSON: foreign profiles are never compiled. */
  readonly facts: ContentHash;
}

/** The run that a fork continues. */
export interface ParentRun {
  readonly runId: RunId;
  /** Number of its events that the fork begins with. */
  readonly at: number;
  /** Milliseconds since 1970 of the fork; absent in journals of earlier versions. */
  readonly forkedAt?: number | undefined;
}

const runStatus = oneOf('completed', 'failed', 'cancelled');
const profileChange = record<ProfileChange>({
  action: oneOf('created', 'updated', 'disabled', 'renamed'),
  profile: text,
  to: optional(text),
});

export const runStart = defineEvent('run.start', {
  about: 'A run begins. Every chain of causes ends here or at an item from outside.',
  code: 'r<',
  subject: ofRun,
  fields: {
    profile: text,
    title: text,
    input: json,
    /** Values of the request, for texts, conditions, settings and tools. */
    request: optional(map),
    /** Hash of the whole request, when it may be repeated. */
    requestHash: optional(text),
    /** Content hash of the JSON list of the run's profile files. */
    profiles: contentHash,
    /** Content hash of the tools registered in code, as JSON (`GivenTools`): settings and definitions, no secrets. Old journals lack it. */
    given: optional(contentHash),
    /** The LLM config that overrides those of all profiles, if any. */
    llmConfig: optional(text),
    limits,
    /** Folder that its tools work in, if the launch named one. */
    workspace: optional(text),
    parentRun: optional(record<ParentRun>({ runId, at: count, forkedAt: optional(time) })),
    engineVersion: text,
    /** The person who launched or forked the run; absent: a program. */
    by: optional(text),
    /** Seed of the nonces of its frames; absent in journals of earlier versions. No tool receives it. */
    frameSeed: optional(text),
    /** Present when the run was imported from a file: it can be inspected and never goes on. Set by the importing side. */
    imported: optional(as<RunImport>(json)),
  },
  describe: ({ profile, input, by }) =>
    `the run began with profile ${profile}${by === undefined ? '' : ` by ${oneLine(by)}`}: ${oneLine(input)}`,
});

export const runStatusChange = defineEvent('run.status', {
  about: 'The run has nothing to do but wait, or has work again.',
  code: 'r=',
  subject: ofRun,
  fields: {
    status: oneOf('running', 'awaiting'),
    /** Approvals and questions that wait for a person; absent: none. */
    pending: optional(count),
  },
  describe: ({ status, pending }) =>
    `the run is ${status}${pending === undefined ? '' : `; ${pending} request${pending === 1 ? '' : 's'} for a person`}`,
});

export const runResume = defineEvent('run.resume', {
  about:
    'An unfinished run is resumed after its process died or its engine closed. The request came from outside, so it has no cause.',
  code: 'r+',
  subject: ofRun,
  fields: {
    /** The engine version that resumes the run; `run.start` has the one that began it. */
    engineVersion: text,
    /** The person who resumes it; absent: a program. */
    by: optional(text),
    /** Milliseconds since the event before; 0 when the clock went backwards. */
    downMs: number,
    /** For a run that began without one. */
    frameSeed: optional(text),
    /** Content hash of the profile files in use from here on, when they differ from before. */
    profiles: optional(contentHash),
    /** Content hash of the tools registered in code from here on, when they differ from before. */
    given: optional(contentHash),
    /** Events of the standing approvals that end because their gate changed or is gone, or because this is a fork. */
    revoked: optional(list(count)),
  },
  describe: ({ downMs, profiles, revoked, by }) =>
    `the run was resumed${by === undefined ? '' : ` by ${oneLine(by)}`} after ${downMs} ms${profiles === undefined ? '' : ', with other profiles'}${revokedText(revoked)}`,
});

export const profilesUpdate = defineEvent('profiles.update', {
  about: 'A person or program changes profiles of a running run.',
  code: 'pu',
  subject: ofRun,
  fields: {
    /** Content hash of the profile files in use from here on. */
    profiles: contentHash,
    changes: list(profileChange),
    /** The person who changed them; absent: a program. */
    by: optional(text),
    /** Events of the standing approvals that end because their gate changed or is gone. */
    revoked: optional(list(count)),
  },
  describe: ({ changes, revoked, by }) =>
    `profiles were changed${by === undefined ? '' : ` by ${oneLine(by)}`}: ${changesText(changes)}${revokedText(revoked)}`,
});

export const toolsetUpdate = defineEvent('toolset.update', {
  about:
    'Tools that a connecting toolset offers the run from here on: recorded when the run begins or resumes, and on every change.',
  code: 'tu',
  subject: ofRun,
  fields: {
    toolset: text,
    /** Content hash of the facts of its tools, as a JSON list. */
    tools: contentHash,
  },
  describe: ({ toolset }) => `the tools of ${toolset} are recorded as the run has them from here on`,
});

export const clockJump = defineEvent('clock.jump', {
  about: 'The wall clock jumped, forwards or back, while this process ran the run: deadlines do not follow it.',
  code: 'cj',
  subject: ofRun,
  fields: { ms: number },
  describe: ({ ms }) => `the wall clock jumped by ${ms} ms`,
});

export const runTitle = defineEvent('run.title', {
  about: 'A model generated the title of the run, or failed to: then the title stays.',
  code: 'rt',
  subject: ofRun,
  fields: {
    title: optional(text),
    error: optional(errorRecord),
    usage,
    cost: optional(number),
    attempts,
    /** Number of its first attempts that `model.reserve` charged. */
    charged: optional(count),
  },
  describe: ({ title, error }) =>
    title === undefined ? `no title was generated: ${error?.message ?? ''}` : `a model titled the run ${oneLine(title)}`,
});

export const runEnd = defineEvent('run.end', {
  about: 'A run is over; its state stays readable for ever.',
  code: 'r>',
  subject: ofRun,
  fields: {
    status: runStatus,
    outcome: text,
    output: text,
    deliverables: map,
    error: optional(errorRecord),
    /** The person who cancelled it, if one did. */
    by: optional(text),
    /** Calls whose tools had not ended. Their results may still come (`tool.late`). */
    running: optional(runningCalls),
  },
  describe: ({ status, outcome, by, running }) =>
    `the run ended ${status} (${outcome})${by === undefined ? '' : `, by ${oneLine(by)}`}${running === undefined ? '' : `; still running: ${callNames(running)}`}`,
});

export const noteAdd = defineEvent('note.add', {
  about: 'A remark that changes no state: a warning, or a contained fault.',
  code: 'n+',
  subject: ofAnyTurn,
  fields: { level: oneOf('info', 'warning', 'error'), code: text, message: text },
  describe: ({ level, code, message }) => `${level} ${code}: ${message}`,
});

function revokedText(revoked: readonly number[] | undefined): string {
  return revoked === undefined ? '' : `; the standing approvals of events ${revoked.join(', ')} end`;
}

/** The final statuses of a run. */
export type RunEndStatus = 'completed' | 'failed' | 'cancelled';
export type RunStart = DraftOf<typeof runStart>;
export type RunStatusChange = DraftOf<typeof runStatusChange>;
export type RunResume = DraftOf<typeof runResume>;
export type ProfilesUpdate = DraftOf<typeof profilesUpdate>;
export type ToolsetUpdate = DraftOf<typeof toolsetUpdate>;
export type ClockJump = DraftOf<typeof clockJump>;
export type RunTitle = DraftOf<typeof runTitle>;
export type RunEnd = DraftOf<typeof runEnd>;
export type NoteAdd = DraftOf<typeof noteAdd>;
