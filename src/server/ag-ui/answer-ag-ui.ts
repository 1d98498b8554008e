import { type CadreError, describeThrown, toErrorRecord } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import type { JsonObject } from '../../core/json.ts';
import { moduleChanges } from '../../core/patches/module-changes.ts';
import type { PendingRequest } from '../../core/state/pending.ts';
import { statusOf } from '../../core/state/run-status.ts';
import type { Run } from '../../engine/run.ts';
import { warningText } from '../../inspect/approval-text.ts';
import { concludeRun } from '../../inspect/conclude.ts';
import type { Listening } from '../threads/threads.ts';
import type { AgUiEvent, AgUiInterrupt, AgUiUsage } from './ag-ui-event.ts';
import { AgUiStream } from './ag-ui-stream.ts';
import { agUiState, jsonPatch } from './ag-ui-state.ts';

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
  /** Refusals of verdicts that decided nothing, while the rest of the request had an effect. */
  readonly refused: readonly CadreError[];
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
  const { listening, threadId, runId, from, known, messages, used, refused, signal } = answer;
  const { run } = listening;
  const stream = new AgUiStream(run.state.rootAgentId);
  let state = agUiState(run.state);
  yield write({ type: 'RUN_STARTED', threadId, runId, protocolVersion: '1.0' });
  yield write({ type: 'STATE_SNAPSHOT', snapshot: state });
  for (const { message } of refused) yield write({ type: 'CUSTOM', name: 'cadre.notice', value: { level: 'warning', message } });
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
    const { id, kind, tool, callId, schema, agentId, expiresAt } = request;
    const words = warningText(request);
    return {
      id,
      reason: kind === 'approval' ? 'tool_call' : 'input_required',
      message: words === '' ? `Let ${agentId} call ${tool}?` : words,
      ...(callId === undefined ? {} : { toolCallId: callId }),
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
