import { capabilityParts } from '../../core/state/capability.ts';
import type { ErrorRecord } from '../../core/error.ts';
import type { RunningCall } from '../../core/events/tool-parts.ts';
import type { JsonObject } from '../../core/json.ts';
import type { PendingRequest } from '../../core/state/pending.ts';
import { eventSchemas } from './event-schemas.ts';
import type { RunOverview } from '../../inspect/run-overview.ts';
import type { ProjectRow } from '../../engine/run-catalog.ts';
import { type Person, roles } from '../../core/roles.ts';
import type { RunRow } from '../http/run-row.ts';
import type { ErrorAnswer } from '../http/error-statuses.ts';
import type { ActionDone } from '../reach/run-action.ts';
import {
  anything,
  count,
  type FieldsOf,
  flag,
  listOf,
  maybe,
  named,
  number,
  object,
  recordOf,
  text,
  time,
} from './schema-record.ts';

const status: JsonObject = {
  enum: ['running', 'awaiting', 'idle', 'completed', 'failed', 'cancelled', 'damaged'],
  description: 'awaiting: a person must decide or answer. idle: waits for a message. damaged: the journal cannot be read.',
};
/** A list of calls, each with its agent and tool. */
function callList(description: string): JsonObject {
  return { ...listOf(recordOf<RunningCall>({ agentId: text, callId: text, tool: text })), description };
}

const dollars: JsonObject = { type: ['number', 'null'], description: 'US dollars; null when the cost of some call is unknown.' };
const atLeast: JsonObject = { type: 'number', description: 'US dollars known so far.' };

/** Fields of a pending request, as its card has them, too. */
export const pendingFields: FieldsOf<PendingRequest> = {
  id: {
    type: 'string',
    description: 'The id of this asking, for approve, reject and answer. What is asked later has another id.',
  },
  kind: { enum: ['approval', 'question'] },
  agentId: text,
  path: { type: 'array', items: text, description: 'The agents from the first one down to the one that asks.' },
  turnId: text,
  callId: maybe({ type: 'string', description: 'The call it is about; absent when the profile asks.' }),
  tool: text,
  args: object,
  message: maybe(text),
  schema: maybe({ type: 'object', description: 'The JSON Schema an answer must fit.' }),
  gate: maybe(recordOf<NonNullable<PendingRequest['gate']>>({ id: text, profile: text })),
  prompt: maybe(
    recordOf<NonNullable<PendingRequest['prompt']>>({
      sources: { type: 'array', items: text, description: 'Sources of the prompt.' },
      untrusted: { type: 'array', items: text, description: 'Those of them that are untrusted.' },
      tainted: { type: 'boolean', description: 'Some agent of the run has read untrusted text.' },
    }),
  ),
  sandbox: maybe({
    enum: ['on', 'off'],
    description: 'Whether programs of the tool run in the sandbox; absent when it starts none.',
  }),
  effect: maybe({
    enum: ['pure', 'idempotent', 'verifiable', 'unsafe'],
    description: 'For an approval: safety of repeating the call.',
  }),
  taint: maybe({ type: 'array', items: text, description: 'Untrusted sources of the state that `message` quotes.' }),
  changed: maybe({
    type: 'array',
    items: { enum: [...capabilityParts] },
    description: 'Parts that have changed since a person approved the call, so that it waits again.',
  }),
  fingerprint: {
    type: 'string',
    description: 'Hash of everything that is shown, and that an approval covers. Part of the id.',
  },
  since: time,
  expiresAt: maybe(time),
  onExpire: maybe({ enum: ['allow', 'deny'] }),
};

/** Schemas of answers about runs as a whole, by their names in the API's description. */
export const runSchemas: Readonly<Record<string, JsonObject>> = {
  Error: recordOf<ErrorAnswer>({
    error: recordOf<ErrorAnswer['error']>({
      code: { type: 'string', description: 'One of the codes of docs/errors.md.' },
      message: { type: 'string', description: 'The problem, its place, the allowed values and the remedy.' },
      details: maybe(object),
    }),
  }),
  ErrorRecord: recordOf<ErrorRecord>({ code: text, message: text }),
  RunRow: recordOf<RunRow>({
    runId: text,
    title: text,
    profile: text,
    status,
    pending: maybe({
      ...count,
      description: 'Approvals and questions that wait for a person; absent where an older journal does not say.',
    }),
    outcome: maybe(text),
    createdAt: time,
    updatedAt: time,
    lastSeq: count,
    agents: count,
    turns: count,
    inputTokens: count,
    outputTokens: count,
    cost: dollars,
    costAtLeast: atLeast,
    costUnknown: { type: 'boolean', description: 'Some model call had no price.' },
    isLive: { type: 'boolean', description: 'The process of the server advances it.' },
    isAbandoned: maybe({ const: true, description: 'The run has not ended, and no process advances it.' }),
    isImported: maybe({ const: true, description: 'The run was read from a file and cannot continue.' }),
    project: maybe(text),
    deletedAt: maybe(time),
  }),
  ProjectRow: recordOf<ProjectRow>({ name: text, runs: count, updatedAt: time }),
  MarkedRuns: recordOf<{ readonly runIds: readonly string[] }>({ runIds: { type: 'array', items: text } }),
  PendingRequest: recordOf<PendingRequest>(pendingFields),
  RunOverview: recordOf<
    RunOverview & {
      readonly isLive: boolean;
      readonly isAbandoned: boolean;
      readonly project?: string;
      readonly deletedAt?: number;
    }
  >({
    runId: text,
    title: text,
    profile: text,
    status,
    outcome: maybe(text),
    output: text,
    deliverables: object,
    error: maybe(named('ErrorRecord')),
    unknown: callList('Calls that may have happened and had no result when it ended.'),
    running: callList('Calls whose tools had not ended when their calls did, and have not since.'),
    by: maybe({ type: 'string', description: 'The person who launched or forked it; absent: a program.' }),
    endedBy: maybe({ type: 'string', description: 'The person who cancelled it, if one did.' }),
    createdAt: time,
    updatedAt: time,
    resumes: count,
    pausedMs: number,
    parentRun: maybe(object),
    imported: maybe(object),
    engineVersion: text,
    lastSeq: count,
    agents: recordOf<RunOverview['agents']>({ total: count, ended: count }),
    turns: count,
    toolCalls: count,
    modelCalls: count,
    inputTokens: count,
    outputTokens: count,
    cacheReadTokens: count,
    reasoningTokens: count,
    cost: dollars,
    costAtLeast: atLeast,
    costUnknown: flag,
    modules: { type: 'object', additionalProperties: count, description: 'Work modules by status.' },
    limits: { type: 'object', additionalProperties: number },
    used: recordOf<RunOverview['used']>({ tokens: number, cost: dollars, wallMs: number }),
    pending: listOf(named('PendingRequest')),
    isLive: flag,
    isAbandoned: flag,
    project: maybe(text),
    deletedAt: maybe(time),
  }),
  ActionDone: recordOf<ActionDone>({
    status,
    outcome: maybe(text),
    pending: listOf(named('PendingRequest')),
    itemId: maybe({ type: 'string', description: 'The inbox item a message became.' }),
  }),
  NewRun: recordOf<{ readonly runId: string }>({ runId: text }),
  ...eventSchemas,
  Info: recordOf<Info>({
    name: text,
    version: text,
    location: { type: 'string', description: 'Where the journal is.' },
    canControl: { type: 'boolean', description: 'False on a read-only server.' },
    you: recordOf<Person>({
      name: { type: 'string', description: 'Who sends the request: recorded as `by` with what they do.' },
      role: { enum: [...roles] },
    }),
    canTest: { type: 'boolean', description: 'True when the server runs the tests of its profiles.' },
    profiles: listOf(recordOf<Info['profiles'][number]>({ name: text, type: text, description: text })),
    llmConfigs: { ...listOf(text), description: 'Names of the LLM configs that a launch or a fork may choose.' },
    defaultProfile: maybe(text),
    changedProfiles: {
      ...listOf(text),
      description: 'Profile files on disk that differ from those that new runs use, each with the kind of change.',
    },
    profileProblem: maybe({ type: 'string', description: 'Why `cadre dev` could not load them, with the place of each problem.' }),
  }),
  Texts: { type: 'object', additionalProperties: { type: ['string', 'null'] }, description: 'Texts by hash.' },
  State: { type: 'object', description: 'The state of the run, folded from its events.', additionalProperties: anything },
};

/** Answer of `/api/info`. */
interface Info {
  readonly name: string;
  readonly version: string;
  readonly location: string;
  readonly canControl: boolean;
  readonly you: Person;
  readonly canTest: boolean;
  readonly profiles: readonly { readonly name: string; readonly type: string; readonly description: string }[];
  readonly llmConfigs: readonly string[];
  readonly defaultProfile?: string;
  readonly changedProfiles: readonly string[];
  readonly profileProblem?: string;
}
