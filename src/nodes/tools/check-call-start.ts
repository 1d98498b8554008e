import { TurnContext, profileOf } from '../../core/turn-context.ts';
import { type Capability, type CapabilityPart, changedParts } from '../../core/state/capability.ts';
import type { Env } from '../../core/env.ts';
import type { ApprovalWait } from '../../core/tool/wait-for.ts';
import { standingFor } from '../../core/state/standing-approval.ts';
import type { Writable } from '../../core/json.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import { type AskedCall, capabilityOf } from './capability-of.ts';
import { refuseCall } from './end-call.ts';
import { isGated, judgeGates, promptFacts, type GateVerdict } from './tool-gates.ts';
import { emptyPlace, type PlaceableDraft } from '../../core/events/event.ts';
import type { ToolStart } from '../../core/events/tool-events.ts';
import type { GateRecord } from '../../core/state/turn.ts';
import type { EffectTool } from '../../core/tool/tool.ts';

/*
 * Whether a call may start.
 *
 * Owns: the one path from a requested call to a started one: let run, refused, or put before a person: when it is requested, before each start, after a
 * verdict or an expiry, after a restart, and after profiles were edited.
 * Does not own: what a gate says (`tool-gates.ts`), what an approval is bound to (`capability-of.ts`), which call is next (`tool-node.ts`).
 * 1. No call starts before it was judged in the same commit.
 * 2. An approval lets a call run only as long as everything it is bound to is what it was when a person was asked.
 * 3. A gate that denies wins over every approval.
 */

/** A call that may start. */
export interface CallStart {
  /** The gates that judged it, when they are not on the call's record in this way: for the event that records the start. */
  readonly gates?: readonly GateRecord[];
}

const ungated: CallStart = {};

/** Judges a call at a moment at which it may start. Returns undefined when it may not: it has ended, or waits for a person, by now. */
export function checkCallStart(context: TurnContext, call: CallState): CallStart | undefined {
  const { env, agent, profile } = context;
  const { name, turnId } = call.request;
  const tool = env.toolsOf(profile, agent).tools.get(name);
  if (tool === undefined) {
    const message = `'${name}' is no tool of ${agent.meta.agentId} any more, so it was not run.`;
    refuseCall(context, call, { status: 'error', code: 'TOOL_MISSING', message });
    return undefined;
  }
  if (!isGated(profile, tool)) return ungated;
  const args = call.args ?? {};
  const { gate, asked } = judgeGates(context, env, { tool, args, turnId });
  const news = newsOf(call, asked);
  if (gate === undefined || gate.verdict === 'allow') return news;
  if (gate.verdict === 'ask') return agreeOrAsk(context, call, { profile, tool, args, gate }, news);
  deny(context, call, gate, news);
  return undefined;
}

/** Returns the gates that judged a call, unless the record has them just like that, as after an approval. */
function newsOf({ gates }: CallState, asked: readonly GateRecord[]): CallStart {
  if (asked.length === 0 || (gates !== undefined && JSON.stringify(gates) === JSON.stringify(asked))) return ungated;
  return { gates: asked };
}

/** Ends the calls that wait for a person and that a gate denies by now: profiles were edited, or the run is resumed. */
export function recheckWaiting(tx: Transaction, env: Env): void {
  for (const agent of tx.run.agents.values()) {
    if (agent.status === 'ended') continue;
    for (const call of [...agent.calls.open.values()])
      if (call.waitFor?.kind === 'approval') judgeAsked(new TurnContext(tx, env, agent), call);
  }
}

/** A call whose tool is gone goes on waiting: a person may reject it, or bring the tool back. */
function judgeAsked(context: TurnContext, call: CallState): void {
  const { env, agent } = context;
  const profile = profileOf(env, agent);
  const { name, turnId } = call.request;
  const tool = env.toolsOf(profile, agent).tools.get(name);
  if (tool === undefined) return;
  const args = call.args ?? {};
  const { gate, asked } = judgeGates(context, env, { tool, args, turnId });
  if (gate?.verdict === 'deny') deny(context, call, gate, newsOf(call, asked));
}

function deny(
  context: TurnContext,
  call: CallState,
  { id, message, taint = [] }: Pick<GateVerdict, 'id' | 'message' | 'taint'>,
  news: CallStart,
): void {
  const why = message ?? `'${call.request.name}' is not allowed here (gate '${id}').`;
  refuseCall(context, call, { status: 'denied', code: 'TOOL_DENIED', message: why, cause: call.request.seq, taint, ...news });
}

/**
 * Lets a call start when a person agreed to exactly this call, or to all like it (which is recorded as the answer). If not, refuses the call when its tool
 * changed since, else asks a person, possibly again.
 */
function agreeOrAsk(context: TurnContext, call: CallState, asked: AskedCall, news: CallStart): CallStart | undefined {
  const { tx, env, agent } = context;
  const { turnId, seq, name } = call.request;
  const { agentId, profile } = agent.meta;
  const capability = capabilityOf(env, tx.run, asked);
  const changed = call.approved ? changedParts(call.agreed, capability) : [];
  if (call.approved && changed.length === 0) return news;
  if (call.agreed !== undefined && changed.includes('tool')) {
    const message = `'${name}' was changed after a person was asked about this call, so it was not run. Look at it again, and call it once more if need be.`;
    refuseCall(context, call, { status: 'denied', code: 'TOOL_DENIED', message, ...news });
    return undefined;
  }
  const standing = standingFor(tx.run.standing, { profile, tool: name, gateId: asked.gate.id }, capability);
  if (standing !== undefined) {
    const { callId } = call;
    tx.emit(
      { type: 'tool.answer', agentId, turnId, callId, verdict: 'approved', standing: standing.seq, capability, ...news },
      seq,
    );
    return ungated;
  }
  ask(tx, agent, call, asked, { capability, changed, ...news });
  return undefined;
}

/** Puts a call before a person; `changed` says why again. */
function ask(
  tx: Transaction,
  { meta }: SubContext,
  { callId, request }: CallState,
  { gate, tool }: AskedCall,
  { capability, changed, gates }: CallStart & { readonly capability: Capability; readonly changed: readonly CapabilityPart[] },
): void {
  const { turnId, seq } = request;
  const on: Writable<ApprovalWait> = { kind: 'approval', gateId: gate.id, capability, prompt: promptFacts(tx.run, turnId) };
  if (tool.effect !== 'unsafe') on.effect = tool.effect;
  if (gate.message !== undefined) on.message = gate.message;
  if (gate.taint !== undefined) on.taint = gate.taint;
  if (gate.expires !== undefined) on.expires = expiryAfter(gate.expires, changed);
  if (tool.sandbox !== undefined) on.sandbox = tool.sandbox;
  if (changed.length > 0) on.changed = changed;
  const judged = gates === undefined ? {} : { gates };
  tx.emit({ type: 'tool.suspend', agentId: meta.agentId, turnId, callId, on, memo: null, ...judged }, seq);
}

/** An expiry lets no call run whose tool does something else than what was agreed to. */
function expiryAfter(
  expires: NonNullable<ApprovalWait['expires']>,
  changed: readonly CapabilityPart[],
): NonNullable<ApprovalWait['expires']> {
  return changed.includes('settings') || changed.includes('tool') ? { ...expires, verdict: 'deny' } : expires;
}

/** Puts on the record that a call begins to run, for the first time or again, and makes its tool due. */
export function startCall(
  context: TurnContext,
  call: CallState,
  { tool, gates, cause = call.request.seq }: CallStart & { readonly tool: EffectTool; readonly cause?: number },
): void {
  const { tx, agent } = context;
  const { turnId } = call.request;
  const { agentId } = agent.meta;
  const draft: PlaceableDraft<ToolStart> = {
    type: 'tool.start',
    agentId,
    turnId,
    callId: call.callId,
    attempt: call.attempt + 1,
    runId: emptyPlace.runId,
    seq: emptyPlace.seq,
    at: emptyPlace.at,
    cause: emptyPlace.cause,
  };
  if (gates !== undefined) draft.gates = gates;
  const start = tx.emit(draft, cause);
  // The start itself must be on the disk before the tool runs. Were that of an `idempotent` call lost, its id, which counts the calls of
  // the run, would later name another request, and a system that remembers the first would skip the second. The end needs no sync: when
  // it is lost, an `unsafe` call has an unknown outcome, and a `verifiable` one is verified.
  if (tool.effect !== 'pure') tx.sync = true;
  tx.effects.push({ kind: 'tool', agentId, turnId, callId: call.callId, pure: tool.effect === 'pure', cause: start.seq });
}
