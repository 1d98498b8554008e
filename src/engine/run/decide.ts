import { TurnContext } from '../../core/turn-context.ts';
import { changesTo, toStatePatch } from '../../core/patches/change-state.ts';
import { patchedState } from '../../core/patches/state-patch.ts';
import { cutMiddle } from '../../core/cut-middle.ts';
import type { Env } from '../../core/env.ts';
import { CadreError, type ErrorRecord, toErrorRecord } from '../../core/error.ts';
import { findItem } from '../../core/inbox/find-item.ts';
import type { AgentId } from '../../core/ids.ts';
import { notesPath, type PeopleNote, withNote } from '../../core/events/people-note.ts';
import type { ItemDraft, Transaction } from '../../core/events/transaction.ts';
import { applySummary } from '../../nodes/prompt/compaction.ts';
import { applyDeadlines } from '../../nodes/limits/deadlines.ts';
import { applyAttempt, chargeMade } from '../../nodes/limits/further-attempt.ts';
import { chargeLate } from '../../nodes/limits/unanswered.ts';
import { endAgent } from '../../nodes/turn/end-agent.ts';
import { agentIdAt } from '../../nodes/tools/transition-context.ts';
import { applyTitle, titleIfDue } from '../../nodes/turn/run-titles.ts';
import { applyVerdict } from '../../nodes/tools/verify-call.ts';
import { takeNextStep } from './take-next-step.ts';
import { applyModuleEdits, applyProfileEdits } from '../input/apply-edits.ts';
import { settle, updateStatus } from './settle.ts';
import { applyAnswer } from '../input/apply-answer.ts';
import type { DecisionContext } from './decision-context.ts';
import { noteGates, noteToolset, recordTools } from '../toolsets/note-toolset.ts';
import { recover, recoverLost } from '../recovery/recover.ts';
import type { Input } from './input.ts';
import type { SubContext } from '../../core/state/sub-context.ts';

/**
 * Decides what an input means for a run: a pure, synchronous function of state, input and environment that emits events and the effects
 * that become due.
 *
 * Without `mayStart` (an engine that closes) the input is recorded and no new work begins. Due effects start when the run is resumed.
 *
 * Owns: which node handles an input. Does not own: what a node does, and when an agent takes its next turn (`settle`).
 */
export function decide(tx: Transaction, decision: DecisionContext, input: Input, mayStart = true): void {
  tx.cause = undefined;
  const apply = inputs[input.kind] as (tx: Transaction, decision: DecisionContext, input: Input) => void;
  apply(tx, decision, input);
  if (mayStart && decision.env.titles !== undefined && mayTitle(tx, input)) titleIfDue(tx, decision.env);
  settle(tx, decision, mayStart);
  if (mayStart) updateStatus(tx);
}

/** True when the first agent may have said something, and when a title may have been lost. */
function mayTitle({ run }: Transaction, input: Input): boolean {
  return input.kind === 'recover' || (input.kind === 'model' && input.agentId === run.rootAgentId);
}

/** What each kind of input does. */
const inputs: {
  readonly [Kind in Input['kind']]: (
    tx: Transaction,
    decision: DecisionContext,
    input: Extract<Input, { readonly kind: Kind }>,
  ) => void;
} = {
  start: (tx, { env }, input) => {
    recordTools(tx, input.tools, tx.run.seq);
    for (const note of input.notes ?? []) keepNote(tx, input, { note, cause: tx.run.seq });
    startRoot(tx, env, input);
    noteGates(tx, env, tx.run.meta.toolsets.keys());
  },
  post: (tx, _, input) => {
    if (input.isOnce !== true || findItem(tx.run, input.item.itemId ?? '') === undefined) post(tx, input.to, input.item);
  },
  model: endModelCall,
  attempt: (tx, { env }, input) => applyAttempt(tx, env, input),
  charge: (tx, _, input) => chargeMade(tx, input),
  compaction: (tx, { env }, input) => applySummary(tx, env, input),
  title: (tx, _, input) => applyTitle(tx, input.outcome),
  tool: endToolCall,
  verify: endVerification,
  lost: (tx, { env }, input) => recoverLost(tx, env, input),
  answer: applyAnswer,
  cancel: (tx, { env }, input) => cancel(tx, env, input),
  recover: (tx, { env }, input) => recover(tx, env, input),
  settle: (tx, _, { agentIds }) => {
    for (const agentId of agentIds) tx.touch(agentId);
  },
  timer: (tx, { env }, { deadlines }) => applyDeadlines(tx, env, deadlines),
  clock: (tx, _, { jumpMs }) => void tx.emit({ type: 'clock.jump', ms: jumpMs }),
  toolset: (tx, { env }, input) => {
    noteToolset(tx, env, input);
    if (input.tools !== undefined) noteGates(tx, env, [input.toolset]);
  },
  keep_note: (tx, _, input) => keepNote(tx, input, { note: input.note }),
  profiles: (tx, { env }, input) => applyProfileEdits(tx, env, input),
  modules: (tx, { env }, input) => applyModuleEdits(tx, env, input),
  note: (tx, _, { level, code, message, about }) => void tx.emit({ type: 'note.add', level, code, message, ...about }, tx.run.seq),
  fail: (tx, { env }, { error }) => {
    const root = rootOf(tx);
    if (root !== undefined) endAgent(new TurnContext(tx, env, root), { outcome: 'error', error }, tx.run.seq);
  },
};

function startRoot(tx: Transaction, env: Env, input: Extract<Input, { kind: 'start' }>): void {
  const { payload, by } = input;
  const profile = env.profiles.get(input.profile);
  if (profile === undefined) throw new CadreError('PROFILE_UNKNOWN', `there is no profile '${input.profile}'`);
  const agentId = agentIdAt(profile.name, 1);
  const start = tx.emit(
    {
      type: 'agent.start',
      agentId,
      profile: profile.name,
      profileType: profile.type,
      depth: 0,
      initialParams: {},
      flowId: `flow_${agentId}`,
    },
    tx.run.seq,
  );
  tx.post(agentId, { source: 'USER_PROMPT', payload, ...(by === undefined ? {} : { by }) }, start.seq);
}

/** Notes are state of the team: forks, resumptions and views of the run find them there. */
function keepNote(
  tx: Transaction,
  { by: person }: { readonly by?: string },
  { note, cause }: { readonly note: PeopleNote; readonly cause?: number },
): void {
  const notes = withNote(tx.run.team.shared, note).map((kept) => ({ ...kept }));
  const changes = changesTo(patchedState(tx.run, undefined), ['team', 'shared', notesPath], notes);
  const event = toStatePatch(changes, { by: 'person', person });
  if (event !== undefined) tx.emit(event, cause);
}

/** Posts an item; one that will not wait interrupts a model call in flight. */
function post(tx: Transaction, to: AgentId, item: ItemDraft): void {
  const { seq } = tx.post(to, item);
  if (item.delivery !== 'now') return;
  const turnId = tx.run.agents.get(to)?.turn.currentId;
  // Only the first of several interrupts counts; the others are read along with it.
  if (turnId !== undefined && tx.run.turns.get(turnId)?.interruptedBy === seq)
    tx.effects.push({ kind: 'interrupt', agentId: to, turnId, cause: seq });
}

function endModelCall(tx: Transaction, decision: DecisionContext, input: Extract<Input, { kind: 'model' }>): void {
  const agent = tx.run.agents.get(input.agentId);
  if (agent === undefined || agent.turn.currentId !== input.turnId || agent.status !== 'in_turn') {
    chargeLate(tx, input.agentId, input.turnId, input.outcome);
    tx.emit(
      {
        type: 'note.add',
        level: 'info',
        code: 'MODEL_ABORTED',
        message: `the outcome of the model call of ${input.turnId} came after that turn was over and was dropped`,
        agentId: input.agentId,
        turnId: input.turnId,
      },
      tx.run.turns.get(input.turnId)?.start.seq,
    );
    return;
  }
  const { env } = decision;
  const action = decision.agentNode.post(tx, agent, { turnId: input.turnId }, input.outcome);
  takeNextStep(new TurnContext(tx, env, agent), input.turnId, action);
}

function endToolCall(tx: Transaction, decision: DecisionContext, input: Extract<Input, { kind: 'tool' }>): void {
  const agent = tx.run.agents.get(input.agentId);
  const call = agent?.calls.open.get(input.callId);
  if (agent !== undefined && call?.status === 'running') {
    decision.toolNode.post(tx, agent, { callId: input.callId }, input.outcome);
    return;
  }
  if (input.outcome.abandoned === true) return;
  const content = input.outcome.status === 'ok' ? decision.env.toResult(input.outcome.returned, 4_096).content : '';
  tx.emit(
    {
      type: 'tool.late',
      agentId: input.agentId,
      turnId: input.turnId,
      callId: input.callId,
      status: input.outcome.status,
      content,
      ...(input.outcome.status === 'ok' ? {} : { error: lateError(input.outcome.error) }),
    },
    tx.run.turns.get(input.turnId)?.start.seq,
  );
}

/** Returns the error of a late result; a thrown error may quote a server at any length. */
function lateError(thrown: unknown): ErrorRecord {
  const { code, message } = toErrorRecord(thrown, 'TOOL_FAILED');
  return { code, message: cutMiddle(message, 4_096, (left) => ` … ${left} characters left out … `) };
}

/** Applies the answer to whether a call happened; ignored once the call is over. */
function endVerification(tx: Transaction, decision: DecisionContext, input: Extract<Input, { kind: 'verify' }>): void {
  const agent = tx.run.agents.get(input.agentId);
  const call = agent?.calls.open.get(input.callId);
  if (agent === undefined || call?.status !== 'running') return;
  const outcome = applyVerdict(new TurnContext(tx, decision.env, agent), call, input);
  if (outcome !== undefined) decision.toolNode.post(tx, agent, { callId: input.callId }, outcome);
}

/** Returns the agent a run was launched with. */
function rootOf(tx: Transaction): SubContext | undefined {
  return tx.run.rootAgentId === undefined ? undefined : tx.run.agents.get(tx.run.rootAgentId);
}

/** Ends an agent, all agents that work on a module, or the root, and everything below. */
function cancel(tx: Transaction, env: Env, { agentId, moduleId, reason, by }: Extract<Input, { kind: 'cancel' }>): void {
  const chosen = agentId === undefined ? rootOf(tx) : tx.run.agents.get(agentId);
  const agents = moduleId === undefined ? [chosen] : [...tx.run.agents.values()].filter(({ meta }) => meta.moduleId === moduleId);
  const error = { code: 'TOOL_CANCELLED' as const, message: reason };
  for (const agent of agents)
    if (agent !== undefined)
      endAgent(new TurnContext(tx, env, agent), { outcome: 'cancelled', error, ...(by === undefined ? {} : { by }) }, undefined);
}
