import { describeThrown, toErrorRecord } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import { type JsonObject, isJsonObject, type JsonValue } from '../../core/json.ts';
import { moduleChanges } from '../../core/patches/module-changes.ts';
import type { PendingRequest } from '../../core/state/pending.ts';
import { statusOf } from '../../core/state/run-status.ts';
import type { Run } from '../../engine/run.ts';
import { warningText } from '../../inspect/approval-text.ts';
import { concludeRun } from '../../inspect/conclude.ts';
import type { Listening } from '../threads/threads.ts';
import type { AgUiEvent, AgUiInterrupt, AgUiUsage, JsonPatchOperation } from './ag-ui-event.ts';
import { AgUiStream } from './ag-ui-stream.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { runOverview } from '../../inspect/run-overview.ts';

/** Everything an answer to an AG-UI request is built from. */
export interface AgUiAnswer {
  readonly listening: Listening;
  readonly threadId: string;
  readonly runId: string;
  /** First sequence number to read after, and the last one the client already knows. */
  readonly from: number;
  readonly known: number;
  /** Messages the client has; undefined: send it all of them. */
  readonly messages: readonly JsonObject[] | undefined;
  /** Usage of the run before this AG-UI run. */
  readonly used: AgUiUsage;
  readonly signal: AbortSignal;
}

/** Events that may change the shared state, besides changes of work modules. */
const changing: ReadonlySet<CadreEvent['type']> = new Set([
  'agent.start',
  'agent.await',
  'agent.end',
  'agent.restart',
  'turn.start',
  'model.end',
  'turn.end',
  'run.status',
  'run.end',
]);

function isChanging(event: CadreEvent): boolean {
  return changing.has(event.type) || moduleChanges(event).length > 0;
}

/** Streams a run until it has settled, as one AG-UI run. */
export async function* answerAgUi(answer: AgUiAnswer): AsyncGenerator<string> {
  const { listening, threadId, runId, from, known, messages, used, signal } = answer;
  const { run } = listening;
  const stream = new AgUiStream(run.state.rootAgentId);
  let state = agUiState(run.state);
  yield write({ type: 'RUN_STARTED', threadId, runId, protocolVersion: '1.0' });
  yield write({ type: 'STATE_SNAPSHOT', snapshot: state });
  let hasBegun = false;
  const begin = function* (): Generator<string> {
    if (hasBegun) return;
    hasBegun = true;
    if (messages === undefined) yield write({ type: 'MESSAGES_SNAPSHOT', messages: stream.messages });
    for (const event of stream.beginRun(messages)) yield write(event);
  };
  const changes = function* (): Generator<string> {
    const now = agUiState(run.state);
    const delta = jsonPatch(state, now);
    state = now;
    if (delta.length > 0) yield write({ type: 'STATE_DELTA', delta });
  };
  try {
    let seq = from;
    if (seq >= known) yield* begin();
    for await (const news of listening.follow({ after: from, signal })) {
      if (news.kind === 'event') seq = news.event.seq;
      // A client that got the earlier events elsewhere gets the first new one here.
      if (seq > known) yield* begin();
      for (const event of stream.take(news)) if (hasBegun) yield write(event);
      // Deltas of a reply follow the last known event.
      if (seq >= known) yield* begin();
      if (hasBegun && news.kind === 'event' && isChanging(news.event)) yield* changes();
    }
    yield* begin();
    yield* changes();
    for (const event of [...stream.endRun(), ...endOf(run, { threadId, runId, used })]) yield write(event);
  } catch (thrown) {
    // The run cannot continue in this process; it can be resumed from its journal.
    const { code } = toErrorRecord(thrown, 'INTERNAL');
    yield write({ type: 'RUN_ERROR', message: describeThrown(thrown), code, usage: [usageOf(run, used)] });
  }
}

/** Returns the last events of an AG-UI run: output that no reply contains, then success, interrupts or the error. */
function endOf(run: Run, about: Pick<AgUiAnswer, 'threadId' | 'runId' | 'used'>): readonly AgUiEvent[] {
  const { threadId, runId, used } = about;
  const { state, pending } = run;
  const finished = { type: 'RUN_FINISHED', threadId, runId, usage: [usageOf(run, used)] } as const;
  if (state.status === 'cancelled') return [{ ...finished, outcome: { type: 'cancelled' } }];
  const { text, problem } = concludeRun(state);
  const root = state.rootAgentId === undefined ? undefined : state.agents.get(state.rootAgentId);
  const isUnsaid = state.outcome !== undefined && text.trim() !== '' && text.trim() !== root?.turn.lastReply.trim();
  const output = isUnsaid ? outputEvents(`${run.id}.output`, text) : [];
  if (pending.length > 0)
    return [...output, { ...finished, outcome: { type: 'interrupt', interrupts: pending.map(toInterrupt(run)) } }];
  if (problem !== undefined)
    return [
      ...output,
      { type: 'RUN_ERROR', message: problem, ...(state.error && { code: state.error.code }), usage: finished.usage },
    ];
  const result = {
    runId: run.id,
    status: statusOf(state),
    outcome: state.outcome ?? null,
    output: text,
    deliverables: state.deliverables,
  };
  return [...output, { ...finished, outcome: { type: 'success' }, result }];
}

function outputEvents(messageId: string, delta: string): readonly AgUiEvent[] {
  return [
    { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId, delta },
    { type: 'TEXT_MESSAGE_END', messageId },
  ];
}

/** Schema of the answer to an approval. */
const approvalSchema: JsonObject = {
  type: 'object',
  properties: {
    approved: { type: 'boolean' },
    message: { type: 'string', description: 'Reason for a rejection, for the agent.' },
    args: { type: 'object', description: 'Arguments to run the call with instead of the proposed ones.' },
  },
  required: ['approved'],
};

function toInterrupt(run: Run): (request: PendingRequest) => AgUiInterrupt {
  return (request) => {
    const { id, kind, tool, schema, agentId, expiresAt } = request;
    const words = warningText(request);
    return {
      id,
      reason: kind === 'approval' ? 'tool_call' : 'input_required',
      message: words === '' ? `Let ${agentId} call ${tool}?` : words,
      ...(tool === '' ? {} : { toolCallId: id }),
      ...(agentId === run.state.rootAgentId ? {} : { subagentRunId: agentId }),
      responseSchema: kind === 'approval' ? approvalSchema : (schema ?? { type: 'string' }),
      ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
    };
  };
}

/** Returns the usage of a run, minus `before`. */
export function usageOf({ state: { usage } }: Pick<Run, 'state'>, before?: AgUiUsage): AgUiUsage {
  const inputTokens = usage.inputTokens - (before?.inputTokens ?? 0);
  const outputTokens = usage.outputTokens - (before?.outputTokens ?? 0);
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    reasoningTokens: usage.reasoningTokens - (before?.reasoningTokens ?? 0),
    cachedInputTokens: usage.cacheReadTokens - (before?.cachedInputTokens ?? 0),
  };
}

function write(event: AgUiEvent): string {
  return JSON.stringify(event);
}

/** Returns the shared state of a thread: a summary of the run. State sent by clients is ignored. */
function agUiState(run: RunContext): JsonObject {
  const view = runOverview(run);
  const agents = [...run.agents.values()].map(
    ({ meta, status, result: { outcome }, turn: { count: turnCount }, limits: { usage } }): readonly [string, JsonObject] => [
      meta.agentId,
      {
        profile: meta.profile,
        role: meta.roleName ?? null,
        parent: meta.parentAgentId ?? null,
        module: meta.moduleId ?? null,
        status,
        outcome: outcome ?? null,
        turns: turnCount,
        cost: usage.costUnknown ? null : usage.cost,
      },
    ],
  );
  const modules = Object.values(run.team.workModules).map(({ module_id, name, status }): readonly [string, JsonObject] => [
    module_id,
    { name, status },
  ]);
  return {
    runId: view.runId,
    title: view.title,
    profile: view.profile,
    status: view.status,
    outcome: view.outcome ?? null,
    turns: view.turns,
    toolCalls: view.toolCalls,
    usage: {
      inputTokens: view.inputTokens,
      outputTokens: view.outputTokens,
      cacheReadTokens: view.cacheReadTokens,
      reasoningTokens: view.reasoningTokens,
    },
    cost: view.cost,
    agents: Object.fromEntries(agents),
    modules: Object.fromEntries(modules),
    deliverables: view.deliverables,
  };
}

/** Returns the JSON Patch (RFC 6902) from one object to another; compares objects field by field, other values as a whole. */
function jsonPatch(before: JsonObject, after: JsonObject, path = ''): readonly JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  for (const key of Object.keys(before))
    if (valueAt(after, key) === undefined) operations.push({ op: 'remove', path: below(path, key) });
  for (const key of Object.keys(after)) {
    const place = below(path, key);
    const old = valueAt(before, key);
    const value = valueAt(after, key);
    if (value === undefined) continue;
    if (old === undefined) operations.push({ op: 'add', path: place, value });
    else if (isJsonObject(old) && isJsonObject(value)) operations.push(...jsonPatch(old, value, place));
    else if (!isSame(old, value)) operations.push({ op: 'replace', path: place, value });
  }
  return operations;
}

function valueAt(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function below(path: string, key: string): string {
  return `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function isSame(a: JsonValue, b: JsonValue): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
