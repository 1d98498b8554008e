import { TurnContext } from '../../core/turn-context.ts';
import type { ErrorCode } from '../../core/error.ts';
import type { AgentId, CallId } from '../../core/ids.ts';
import type { ContentEntry } from '../../core/events/journal.ts';
import type { Env } from '../../core/env.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { steadyAt } from '../../core/state/run-time.ts';
import { titleCall } from '../../core/fold/charge.ts';
import { chargeLost } from '../../nodes/limits/unanswered.ts';
import type { ItemDraft, Transaction } from '../../core/events/transaction.ts';
import { expiryDeadline } from '../../nodes/limits/deadlines.ts';
import { failCall, expireCall } from '../../nodes/tools/end-call.ts';
import { interruptTurn, lostCall } from '../../nodes/turn/interrupted-turn.ts';
import { endMissing } from '../../nodes/tools/missing-tool.ts';
import { recheckWaiting, checkCallStart, startCall } from '../../nodes/tools/check-call-start.ts';
import type { ForkEdit } from '../launch/fork-edit.ts';
import { applyForkEdits } from '../launch/fork-edits.ts';
import { recordTools } from '../toolsets/note-toolset.ts';
import type { OfferedTools } from '../toolsets/toolset-hold.ts';
import { revokedBy } from '../../nodes/tools/capability-of.ts';
import { asksWhetherHappened, settleUnknown } from '../../nodes/tools/unknown-outcome.ts';
import { verifyCall } from '../../nodes/tools/verify-call.ts';

/** Note for the user who resumes a run; recorded. */
export interface ResumeNote {
  readonly code: ErrorCode;
  readonly message: string;
  readonly agentId?: AgentId;
}

/** A message posted before the run goes on. */
export interface ResumeMessage {
  readonly to: AgentId;
  readonly item: ItemDraft;
}

/** Version of the engine that resumes a run, and the parts it brings. */
export interface Resumption {
  readonly engineVersion: string;
  /** The person who resumes or forks the run; absent: a program. */
  readonly by?: string;
  /** Profile files used from here on, when they differ from those before. */
  readonly profiles?: ContentEntry | undefined;
  /** Tools that code gives from here on, when they differ from the record. */
  readonly given?: ContentEntry | undefined;
  /** Tools offered by toolsets that connect. */
  readonly tools: readonly OfferedTools[];
  readonly notes?: readonly ResumeNote[];
  /** Texts that the journal may have lost, to be stored again. */
  readonly texts?: readonly ContentEntry[];
  readonly said?: ResumeMessage | undefined;
  /** Edits that a fork begins with. */
  readonly edits?: readonly ForkEdit[] | undefined;
  /** Seed for a run that began before frames had nonces. */
  readonly frameSeed?: string;
}

/**
 * Resumes a run from the end of its journal: unanswered model calls are made again from the same recorded input, after what was used is charged; running tools are repeated
 * when their effect allows it, verified when the tool can, and otherwise have an unknown outcome (I5); suspended calls stay suspended
 * unless they have expired; effects that were due but not started are started. The resumption is recorded as its first event.
 */
export function recover(tx: Transaction, env: Env, by: Resumption): void {
  if (tx.run.outcome !== undefined) return;
  const resume = tx.emit({
    type: 'run.resume',
    engineVersion: by.engineVersion,
    ...(by.by === undefined ? {} : { by: by.by }),
    downMs: Math.max(0, tx.at - tx.run.at),
    ...(by.frameSeed === undefined ? {} : { frameSeed: by.frameSeed }),
    ...(by.profiles === undefined ? {} : { profiles: tx.content(by.profiles.text) }),
    ...(by.given === undefined ? {} : { given: tx.content(by.given.text) }),
    ...(isFork(tx.run) ? allRevoked(tx.run) : revokedBy(env, tx.run)),
  });
  for (const { text } of by.texts ?? []) tx.content(text);
  recordTools(tx, by.tools, resume.seq);
  for (const note of by.notes ?? []) tx.emit({ type: 'note.add', level: 'warning', ...note }, resume.seq);
  applyForkEdits(tx, by, resume.seq);
  const root = tx.run.rootAgentId === undefined ? undefined : tx.run.agents.get(tx.run.rootAgentId);
  if (root !== undefined) chargeLost(new TurnContext(tx, env, root), titleCall);
  for (const agent of tx.run.agents.values()) {
    if (agent.status === 'ended') continue;
    recoverTurn(new TurnContext(tx, env, agent));
    recoverCompaction(new TurnContext(tx, env, agent));
    for (const call of [...agent.calls.open.values()]) recoverCall(new TurnContext(tx, env, agent), call);
    tx.touch(agent.meta.agentId);
  }
  recheckWaiting(tx, env);
  // In the same commit, so that even an agent that is about to end reads it in its next turn.
  if (by.said !== undefined) tx.post(by.said.to, by.said.item);
}

/** True when all events were copied from another run: approvals given there hold only there. */
function isFork({ meta, seq }: RunContext): boolean {
  return meta.parentRun?.at === seq;
}

function allRevoked({ standing }: RunContext): { readonly revoked?: readonly number[] } {
  return standing.length === 0 ? {} : { revoked: standing.map(({ seq }) => seq) };
}

function recoverTurn(context: TurnContext): void {
  const { tx, agent } = context;
  const turn = agent.turn.currentId === undefined ? undefined : tx.run.turns.get(agent.turn.currentId);
  if (turn === undefined || turn.modelEnd !== undefined || turn.start.prompt === undefined) return;
  chargeLost(context, turn.turnId);
  if (turn.interruptedBy !== undefined) {
    interruptTurn(context, turn, lostCall);
    return;
  }
  tx.effects.push({ kind: 'model', agentId: agent.meta.agentId, turnId: turn.turnId, cause: turn.start.seq });
}

/** Asks again for a missing summary, from the same recorded input. */
function recoverCompaction(context: TurnContext): void {
  const { tx, agent } = context;
  const { compacting } = agent.context;
  if (compacting === undefined) return;
  const { compactionId, seq } = compacting;
  chargeLost(context, compactionId);
  tx.effects.push({ kind: 'compaction', agentId: agent.meta.agentId, compactionId, cause: seq });
}

/** Recovers a call whose attempt was running on an engine that is gone; ignored once the attempt is over. */
export function recoverLost(
  tx: Transaction,
  env: Env,
  { agentId, callId, attempt }: { readonly agentId: AgentId; readonly callId: CallId; readonly attempt: number },
): void {
  const agent = tx.run.agents.get(agentId);
  const call = agent?.calls.open.get(callId);
  if (agent === undefined || call?.status !== 'running' || call.attempt !== attempt) return;
  recoverCall(new TurnContext(tx, env, agent), call);
}

/** Recovers a call that was open: continues it, or ends it with the reason. */
function recoverCall(context: TurnContext, call: CallState): void {
  const { tx, env } = context;
  const tool = env.catalog.get(call.request.name);
  if (tool === undefined) {
    if (isForPeople(call)) expireIfDue(tx, env, call);
    else endMissing(context, call);
    return;
  }
  const isRepeatable = tool.effect === 'pure' || tool.effect === 'idempotent';
  const mayBeStarted =
    call.status === 'requested' || call.waitFor?.kind === 'approval' || (call.status === 'running' && isRepeatable);
  if (mayBeStarted && !stillFits(context, call)) return;
  if (call.status === 'suspended') expireIfDue(tx, env, call);
  if (call.status !== 'running' || tool.kind !== 'effect') return;
  if (isRepeatable) {
    const start = checkCallStart(context, call);
    if (start !== undefined) startCall(context, call, { tool, ...start });
  } else if (tool.effect === 'verifiable' && tool.verify !== undefined) verifyCall(context, call, tool.verify);
  else settleUnknown(context, call);
}

/**
 * True when people decide the outcome of a call and can do so without its tool. The tool may be missing only here (an unset variable, a
 * server that is down), and the open question must survive that.
 */
function isForPeople(call: CallState): boolean {
  return call.status === 'suspended' && (call.waitFor?.kind === 'approval' || asksWhetherHappened(call));
}

/** Expires a call whose deadline passed while no process ran: a verdict that comes with the resume comes too late. */
function expireIfDue(tx: Transaction, env: Env, call: CallState): void {
  const due = expiryDeadline(call);
  if (due?.kind === 'expiry' && due.at <= steadyAt(tx.run, tx.at)) expireCall(tx, env, due.callId, due.since);
}

/** False, after answering the call without running it, when its tool has changed and the arguments no longer fit. */
function stillFits(context: TurnContext, call: CallState): boolean {
  const { env, agent } = context;
  const profile = env.profiles.get(agent.meta.profile);
  const tool = profile === undefined ? undefined : env.toolsOf(profile, agent).tools.get(call.request.name);
  const checked = tool?.check(call.args ?? {});
  if (checked === undefined || checked.ok) return true;
  const problems = checked.errors.map((error) => `${error.path === '' ? 'arguments' : error.path}: ${error.message}`).join('; ');
  failCall(context, call.callId, {
    status: 'error',
    code: 'TOOL_ARGUMENTS_INVALID',
    message: `'${call.request.name}' has changed since it was called, and was not run: its arguments do not fit any more: ${problems}`,
  });
  return false;
}
