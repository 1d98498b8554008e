import { TurnContext } from '../../core/turn-context.ts';
import { cutMiddle } from '../../core/cut-middle.ts';
import type { Env, FittedResult } from '../../core/env.ts';
import { describeThrown, leavesOutcomeUnknown, toErrorRecord } from '../../core/error.ts';
import type { EventDraft } from '../../core/events/event.ts';
import type { AgentId, CallId } from '../../core/ids.ts';
import type { JsonValue, Writable } from '../../core/json.ts';
import type { Content } from '../../core/prompt/message.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { StatePatch } from '../../core/events/team-events.ts';
import type { TransitionTool } from '../../core/tool/tool.ts';
import { isReservedSource } from '../../core/inbox/strategy.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import type { ResumeCause, TransitionContext, TransitionOutcome } from '../../core/tool/transition.ts';
import type { CallStatus } from '../../core/state/turn.ts';
import { everySource } from '../../core/untrusted/scope-origins.ts';
import { passedSources } from './passed-sources.ts';
import { untrustedSources } from '../../core/prompt/prompt-sources.ts';
import { carriesText } from '../../core/untrusted/taint.ts';
import { checkOutcome } from './check-outcome.ts';
import { emitToolDraft } from '../turn/end-agent.ts';
import { defaultMaxResultChars, keepResult, resultChanges } from './keep-result.ts';
import { type CallStart, checkCallStart, startCall } from './check-call-start.ts';
import { endMissing } from './missing-tool.ts';
import { outcomeEvents } from './drafted-state.ts';
import { type CallEnding, endCall, endOpenCall, failCall, mayHaveActed } from './end-call.ts';
import { transitionContext } from './transition-context.ts';
import { toQuestionWait } from './question-wait.ts';
import { endStopped, settleUnknown } from './unknown-outcome.ts';

/** One execution of one call. */
export interface CallTicket {
  readonly callId: CallId;
}

/** Outcome of an execution, as reported from outside. */
export interface ToolOutcome {
  readonly status: CallStatus;
  /** Return value of the tool, for status `ok`. */
  readonly returned?: unknown;
  /** Error that the tool threw, or the reason why it did not finish. */
  readonly error?: unknown;
  readonly progress: readonly { readonly fraction: number; readonly note: string; readonly at: number }[];
  /** True when the tool has not ended and is no longer awaited: it took too long, or ignored a request to stop. What it returns later is late. */
  readonly abandoned?: boolean;
}

/**
 * The node behind every tool: starts calls and records their outcomes. Effect tools run between the two
 * (`engine/effects/run-tool.ts`).
 */
interface ToolNode {
  /**
   * Starts the next call that may start; undefined when none may. A transition tool decides right here, inside the commit (I7); an effect
   * tool is recorded as started.
   */
  prep(tx: Transaction, agent: SubContext): CallTicket | undefined;
  /** Records the outcome of an effect tool; the result goes to the caller's inbox as a TOOL_RESULT item. */
  post(tx: Transaction, agent: SubContext, ticket: CallTicket, outcome: ToolOutcome): void;
  /** Resumes a call that waited; `cause` is the event that ended the wait. */
  resume(tx: Transaction, agent: SubContext, call: CallState, happening: ResumeCause, cause: number): void;
}

/** Creates the tool node of an environment. */
export function createToolNode(env: Env): ToolNode {
  return {
    prep: (tx, agent) => {
      // Without a call that was requested and neither runs nor waits, nothing can start.
      for (const { status } of agent.calls.open.values())
        if (status === 'requested') return startNext(new TurnContext(tx, env, agent));
      return undefined;
    },
    post: (tx, agent, { callId }, outcome) => {
      const call = agent.calls.open.get(callId);
      if (call !== undefined) recordOutcome(new TurnContext(tx, env, agent), call, outcome);
    },
    resume: (tx, agent, call, happening, cause) => resumeCall(new TurnContext(tx, env, agent), call, happening, cause),
  };
}

/** Starts the next call that may start; undefined when none may. Transition tools are decided on the way. */
function startNext(context: TurnContext): CallTicket | undefined {
  const { tx, env, agent } = context;
  for (let call = nextCall(env, agent); call !== undefined; call = nextCall(env, agent)) {
    if (tx.isFull) {
      tx.touch(agent.meta.agentId);
      return undefined;
    }
    const tool = env.catalog.get(call.request.name);
    if (tool === undefined) {
      endMissing(context, call);
      continue;
    }
    const start = checkCallStart(context, call);
    if (start === undefined) continue;
    if (tool.kind === 'transition') {
      const because = { cause: call.request.seq, ...start };
      decideTransition(context, call, because, (context) => tool.run(call.args ?? {}, context));
      continue;
    }
    startCall(context, call, { tool, ...start });
    return { callId: call.callId };
  }
  return undefined;
}

/**
 * Returns the first requested call that may start now: `parallel` calls immediately, `serial` ones in the order given and one at a time,
 * `exclusive` ones when nothing else of this agent runs; nothing overtakes a waiting exclusive call. A serial call that a person approved
 * does not wait for verdicts on its neighbours; one that no person was asked about keeps its place behind those that are undecided.
 */
function nextCall({ catalog }: Env, { calls }: SubContext): CallState | undefined {
  let running = 0;
  let serialBusy = false;
  for (const { status, request, waitFor } of calls.open.values()) {
    if (status === 'requested') continue;
    const concurrency = catalog.get(request.name)?.concurrency;
    if (status === 'running') running++;
    if (status === 'running' && concurrency === 'exclusive') return undefined;
    // A call that waits for approval has not begun. One that waits for an answer, or for agents, has.
    serialBusy ||= concurrency === 'serial' && (status === 'running' || (status === 'suspended' && waitFor?.kind !== 'approval'));
  }
  let isUndecidedBefore = false;
  for (const call of calls.open.values()) {
    const concurrency = catalog.get(call.request.name)?.concurrency ?? 'parallel';
    if (call.status !== 'requested') {
      isUndecidedBefore ||= concurrency === 'serial' && call.status === 'suspended';
      continue;
    }
    if (calls.open.size === 1) return call;
    if (concurrency === 'parallel') return call;
    if (concurrency === 'exclusive') return running === 0 ? call : undefined;
    if (!serialBusy && (call.approved || !isUndecidedBefore)) return call;
  }
  return undefined;
}

/** Runs a transition tool and commits what it decided; one that throws changes nothing and answers with its error. */
function decideTransition(
  context: TurnContext,
  call: CallState,
  { cause, gates }: CallStart & { readonly cause: number },
  decide: (context: TransitionContext) => TransitionOutcome,
): void {
  const { tx, env, agent } = context;
  let outcome: TransitionOutcome;
  let events: readonly EventDraft[];
  try {
    const view = transitionContext(context, call);
    outcome = decide(view);
    checkOutcome(tx.run, env.profiles, call.request.name, outcome);
    events = outcomeEvents(view, call, outcome);
  } catch (thrown) {
    // What code throws may quote any state it could read.
    const passes = everySource(env, { run: tx.run, agent });
    failCall(context, call.callId, { ...toErrorRecord(thrown, 'TOOL_FAILED'), status: 'error', cause, gates, passes });
    return;
  }
  const base = { agentId: agent.meta.agentId, turnId: call.request.turnId, callId: call.callId };
  for (const draft of events) emitToolDraft(context, draft, cause);
  if (outcome.kind === 'suspend') {
    // A call that goes on waiting for the same things says nothing new.
    if (call.status === 'suspended' && outcome.on === call.waitFor && outcome.memo === call.memo) return;
    const on = outcome.on.kind === 'question' ? toQuestionWait(env, call, outcome.on) : outcome.on;
    const judged = gates === undefined ? {} : { gates };
    tx.emit({ type: 'tool.suspend', ...base, on, memo: outcome.memo, ...judged }, call.request.seq);
    return;
  }
  const tool = env.catalog.get(call.request.name);
  const fitted = env.toResult(outcome.content, tool?.maxResultChars ?? defaultMaxResultChars);
  const failed = outcome.isError === true || fitted.isError;
  endCall(context, call.callId, {
    status: failed ? 'error' : 'ok',
    content: fitted.content,
    ...(failed ? { error: { code: 'TOOL_FAILED' as const, message: `${call.request.name} reported an error` } } : {}),
    ...(outcome.end === undefined ? {} : { end: outcome.end }),
    ...(outcome.quotes === undefined ? {} : { quotes: outcome.quotes }),
    ...(fitted.full === undefined ? {} : { full: fitted.full }),
    passes: passedSources(context, call, outcome),
    cause,
    gates,
  });
}

function resumeCall(context: TurnContext, call: CallState, happening: ResumeCause, cause: number): void {
  const { env } = context;
  const tool = env.catalog.get(call.request.name);
  if (tool?.kind !== 'transition' || tool.resume === undefined) return;
  const resume: NonNullable<TransitionTool['resume']> = tool.resume;
  decideTransition(context, call, { cause }, (context) => resume(call.args ?? {}, context, happening, call.memo));
}

function recordOutcome(context: TurnContext, call: CallState, outcome: ToolOutcome): void {
  const { tx, env, agent } = context;
  const tool = env.catalog.get(call.request.name);
  if (outcome.status !== 'ok') {
    const progress = outcome.progress.length === 0 ? {} : { progress: outcome.progress };
    const said = toErrorRecord(outcome.error, outcome.status === 'timeout' ? 'TOOL_TIMEOUT' : 'TOOL_FAILED');
    // A thrown error may quote a server at any length, so the limit for results applies to it, too.
    const error = {
      ...said,
      message: cutMiddle(
        said.message,
        tool?.maxResultChars ?? defaultMaxResultChars,
        (left) => ` … ${left} characters left out … `,
      ),
    };
    if (outcome.status === 'error' && leavesOutcomeUnknown(outcome.error)) {
      settleUnknown(context, call, { error });
      return;
    }
    const isRunning = outcome.abandoned === true;
    if (outcome.status === 'cancelled' && mayHaveActed(env, call)) endStopped(context, call, { error, isRunning, ...progress });
    else failCall(context, call.callId, { ...error, status: outcome.status, isRunning, ...progress });
    return;
  }
  const kept = keepResult(context, call, tool, outcome.returned);
  const started = call.startSeq ?? call.request.seq;
  if (kept.change !== undefined) tx.emit(kept.change, started);
  const brings = kept.values !== undefined || kept.update !== undefined;
  const { fitted, changes, failure } = brings
    ? withChanges(context, call, kept)
    : { fitted: kept, changes: noChanges, failure: undefined };
  const ending: Writable<CallEnding> = {
    status: fitted.isError ? 'error' : 'ok',
    content: fitted.content,
    progress: outcome.progress,
  };
  if (fitted.isError) ending.error = { code: 'TOOL_FAILED', message: failure ?? `${call.request.name} reported an error` };
  if (fitted.full !== undefined) ending.full = fitted.full;
  if (fitted.cleaned !== undefined) ending.cleaned = fitted.cleaned;
  if (fitted.isClean === true) ending.isClean = true;
  if (tool?.endsFlow === true && !fitted.isError)
    ending.end = { outcome: 'success', output: typeof fitted.content === 'string' ? fitted.content : '' };
  // Before the call ends: its agent may end with it, and hand in what was changed.
  for (const change of changes) tx.emit(change, started);
  endOpenCall(context, call, tool, ending);
  tx.cause = call.end?.seq;
  if (fitted.items.length === 0) return;
  const trust = tool?.trust === 'untrusted' ? { trust: 'untrusted' as const } : {};
  for (const item of fitted.items) postReturned(tx, agent, { ...item, ...trust });
}

const noChanges: readonly never[] = [];

/** A result with the changes of state that come with it. When these cannot be made, it is an error without any effect. */
function withChanges(
  context: TurnContext,
  call: CallState,
  kept: FittedResult,
): { readonly fitted: FittedResult; readonly changes: readonly StatePatch[]; readonly failure?: string } {
  const { env } = context;
  try {
    return { fitted: kept, changes: resultChanges(context, call, kept) };
  } catch (thrown) {
    const failure = `${call.request.name} ran, but what it returned for the state was refused: ${env.secrets.text(describeThrown(thrown))}`;
    const note = `(${failure}. None of it was changed or posted.)`;
    const content: Content =
      typeof kept.content === 'string' ? `${kept.content}\n\n${note}` : [...kept.content, { type: 'text', text: note }];
    return { fitted: { ...kept, content, isError: true, items: [] }, changes: [], failure };
  }
}

/** Items a tool returned along with its result go to its caller, or to another agent that is still there. */
function postReturned(
  tx: Transaction,
  agent: SubContext,
  item: { readonly source: string; readonly payload: JsonValue; readonly to?: string; readonly trust?: 'untrusted' },
): void {
  if (isReservedSource(item.source)) {
    tx.emit({
      type: 'note.add',
      level: 'warning',
      code: 'ITEM_SOURCE_RESERVED',
      message: `an item ${item.source} that a tool returned was dropped: people, profiles and the engine speak under this source; post under one of your own`,
      agentId: agent.meta.agentId,
    });
    return;
  }
  const to = item.to === undefined ? agent : tx.run.agents.get(item.to as AgentId);
  if (to === undefined || to.status === 'ended') {
    tx.emit({
      type: 'note.add',
      level: 'warning',
      code: 'AGENT_UNKNOWN',
      message: `an item ${item.source} for '${item.to ?? agent.meta.agentId}' was dropped: no such agent is at work`,
      agentId: agent.meta.agentId,
    });
    return;
  }
  const { source, payload, trust } = item;
  // Code that the agent called may have written its words.
  const taint = carriesText(payload) ? untrustedSources(agent.history.sources) : [];
  const marks = taint.length > 0 ? { trust: 'untrusted' as const, taint } : trust === undefined ? {} : { trust };
  tx.post(to.meta.agentId, { source, payload, from: agent.meta.agentId, ...marks });
}
