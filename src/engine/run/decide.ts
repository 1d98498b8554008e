import { changesTo, toStatePatch } from '../../core/patches/change-state.ts';
import type { Env } from '../../core/env.ts';
import { CadreError, type ErrorRecord } from '../../core/error.ts';
import { findItem } from '../../core/inbox/find-item.ts';
import type { AgentId, CallId, ContentHash, TurnId } from '../../core/ids.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { ModelOutcome } from '../../core/model/model.ts';
import { notesPath, type PeopleNote, withNote } from '../../core/events/people-note.ts';
import type { ProfileChange } from '../../core/events/profile-edit.ts';
import { patchedState } from '../../core/patches/state-patch.ts';
import type { ItemDraft, Transaction } from '../../core/events/transaction.ts';
import { applySummary } from '../../nodes/prompt/compaction.ts';
import { applyDeadlines } from '../../nodes/limits/apply-deadlines.ts';
import type { Deadline } from '../../nodes/limits/deadlines.ts';
import { endAgent } from '../../nodes/turn/end-agent.ts';
import type { ToolOutcome } from '../../nodes/tools/tool-node.ts';
import { agentIdAt } from '../../nodes/tools/transition-context.ts';
import { applyTitle, titleIfDue } from '../../nodes/turn/run-titles.ts';
import { applyVerdict } from '../../nodes/tools/verify-call.ts';
import { afterThinking } from './after-thinking.ts';
import type { ModuleAction } from '../../team/modules/module-actions.ts';
import { applyModuleEdits, applyProfileEdits } from '../input/apply-edits.ts';
import { cancel, rootOf } from './cancel.ts';
import { settle, updateStatus } from './settle.ts';
import { applyAnswer } from '../input/apply-answer.ts';
import type { DecisionContext } from './decision-context.ts';
import { noteUnmetGates } from '../note-unmet-gates.ts';
import { recover, type Resumption } from '../recovery/recover.ts';
import { noteToolset, recordTools } from '../toolsets/note-toolset.ts';
import type { TakenTools, ToolsetHold } from '../toolsets/toolset-hold.ts';
import type { ToolsetNews } from '../toolsets/toolset-instance.ts';

/** Everything that can happen to a run from outside its own decisions. */
export type Input =
  | {
      readonly kind: 'start';
      readonly profile: string;
      readonly payload: JsonValue;
      readonly notes?: readonly PeopleNote[];
      /** What toolsets offer that connect to something. */
      readonly tools: readonly TakenTools[];
    }
  | {
      readonly kind: 'post';
      readonly to: AgentId;
      readonly item: ItemDraft;
      /** The id of the item is its sender's: it is posted unless the run has it. */
      readonly isOnce?: boolean;
    }
  | { readonly kind: 'model'; readonly agentId: AgentId; readonly turnId: TurnId; readonly outcome: ModelOutcome }
  | { readonly kind: 'compaction'; readonly agentId: AgentId; readonly compactionId: string; readonly outcome: ModelOutcome }
  /** What came of asking a model for the run's title. */
  | { readonly kind: 'title'; readonly outcome: ModelOutcome }
  | {
      readonly kind: 'tool';
      readonly agentId: AgentId;
      readonly turnId: TurnId;
      readonly callId: CallId;
      readonly outcome: ToolOutcome;
    }
  | {
      readonly kind: 'verify';
      readonly agentId: AgentId;
      readonly turnId: TurnId;
      readonly callId: CallId;
      readonly by: string;
      readonly outcome: ToolOutcome;
    }
  | {
      readonly kind: 'answer';
      readonly callId: CallId;
      readonly verdict: 'approved' | 'rejected' | 'answered';
      readonly args?: JsonObject;
      readonly always?: boolean;
      /** What the person saw; the verdict is about nothing else. */
      readonly fingerprint?: string;
      readonly value?: JsonValue;
      readonly message?: string;
    }
  | { readonly kind: 'cancel'; readonly agentId?: AgentId; readonly moduleId?: string; readonly reason: string }
  | ({ readonly kind: 'recover' } & Resumption)
  /** What a full decision left: agents that may be able to go on. */
  | { readonly kind: 'settle'; readonly agentIds: readonly AgentId[] }
  /** Timers of the run have gone off. */
  | { readonly kind: 'timer'; readonly deadlines: readonly Deadline[] }
  /** The wall clock has jumped. */
  | { readonly kind: 'clock'; readonly jumpMs: number }
  /** The tools of a toolset have changed, or it cannot be used. */
  | ({ readonly kind: 'toolset' } & ToolsetNews)
  /** A person writes, changes or takes away a note for agents. */
  | { readonly kind: 'keep_note'; readonly note: PeopleNote }
  /** Profiles are changed while the run goes on; `before` are those the edit was made from. */
  | {
      readonly kind: 'profiles';
      /** The toolsets of the changed profiles, and what they offer. */
      readonly hold: ToolsetHold;
      readonly tools: readonly TakenTools[];
      readonly files: string;
      readonly changes: readonly ProfileChange[];
      readonly before: ContentHash;
    }
  /** A person changes the plan. */
  | { readonly kind: 'modules'; readonly actions: readonly ModuleAction[] }
  | { readonly kind: 'fail'; readonly error: ErrorRecord }
  | NoteInput;

/** Something for the record that changes nothing. */
export interface NoteInput {
  readonly kind: 'note';
  readonly level: 'info' | 'warning' | 'error';
  readonly code: string;
  readonly message: string;
  /** What it is about, when it is one agent or one of its turns. */
  readonly about?: { readonly agentId: AgentId; readonly turnId?: TurnId };
}

/**
 * Decides what an input means for a run: a pure, synchronous function of state, input and environment that emits events
 * and the effects that become due (DESIGN 2).
 *
 * Without `mayStart` what came in is put on record and nothing new begins: an engine that closes. What is due is begun when
 * the run is taken up again.
 *
 * Owns: which node a thing happens in. Does not own: what happens in a node, and when an agent takes its next turn (`settle`).
 */
export function decide(tx: Transaction, decision: DecisionContext, input: Input, mayStart = true): void {
  applyInput(tx, decision, input);
  settle(tx, decision, mayStart);
  if (mayStart) updateStatus(tx);
}

function applyInput(tx: Transaction, decision: DecisionContext, input: Input): void {
  tx.setCause(undefined);
  switch (input.kind) {
    case 'start':
      recordTools(tx, input.tools, tx.run.seq);
      for (const note of input.notes ?? []) keepNote(tx, note, tx.run.seq);
      startRoot(tx, decision.env, input.profile, input.payload);
      noteUnmetGates(tx, decision.env);
      break;
    case 'post':
      if (input.isOnce !== true || findItem(tx.run, input.item.itemId ?? '') === undefined) post(tx, input.to, input.item);
      break;
    case 'model':
      endModelCall(tx, decision, input);
      if (input.agentId === tx.run.rootAgentId) titleIfDue(tx, decision.env);
      break;
    case 'compaction':
      applySummary(tx, decision.env, input);
      break;
    case 'title':
      applyTitle(tx, input.outcome);
      break;
    case 'tool':
      endToolCall(tx, decision, input);
      break;
    case 'verify':
      endVerification(tx, decision, input);
      break;
    case 'answer':
      applyAnswer(tx, decision, input);
      break;
    case 'cancel':
      cancel(tx, decision.env, input);
      break;
    case 'recover':
      recover(tx, decision.env, input);
      titleIfDue(tx, decision.env);
      break;
    case 'settle':
      for (const agentId of input.agentIds) tx.touch(agentId);
      break;
    case 'timer':
      applyDeadlines(tx, decision.env, input.deadlines);
      break;
    case 'clock':
      tx.emit({ type: 'clock.jump', ms: input.jumpMs });
      break;
    case 'toolset':
      noteToolset(tx, decision.env, input);
      if (input.tools !== undefined) noteUnmetGates(tx, decision.env);
      break;
    case 'keep_note':
      keepNote(tx, input.note);
      break;
    case 'profiles':
      applyProfileEdits(tx, decision.env, input);
      break;
    case 'modules':
      applyModuleEdits(tx, decision.env, input.actions);
      break;
    case 'note':
      tx.emit({ type: 'note.add', level: input.level, code: input.code, message: input.message, ...input.about }, tx.run.seq);
      break;
    case 'fail': {
      const root = rootOf(tx);
      if (root !== undefined) endAgent(tx, decision.env, root, { outcome: 'error', error: input.error }, tx.run.seq);
      break;
    }
  }
}

function startRoot(tx: Transaction, env: Env, profileName: string, payload: JsonValue): void {
  const profile = env.profiles.get(profileName);
  if (profile === undefined) throw new CadreError('PROFILE_UNKNOWN', `there is no profile '${profileName}'`);
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
  tx.post(agentId, { source: 'USER_PROMPT', payload }, start.seq);
}

/** Notes are state of the team: whoever forks, resumes or looks at the run finds them there. */
function keepNote(tx: Transaction, note: PeopleNote, cause?: number): void {
  const notes = withNote(tx.run.team.shared, note).map((kept) => ({ ...kept }));
  const changes = changesTo(patchedState(tx.run, undefined), ['team', 'shared', notesPath], notes);
  const event = toStatePatch(changes, { by: 'person' });
  if (event !== undefined) tx.emit(event, cause);
}

/** Posts an item; one that will not wait interrupts the model call it finds in flight. */
function post(tx: Transaction, to: AgentId, item: ItemDraft): void {
  const { seq } = tx.post(to, item);
  if (item.delivery !== 'now') return;
  const turnId = tx.run.agents.get(to)?.currentTurnId;
  // The first of several interrupts; the others are read along with it.
  if (turnId !== undefined && tx.run.turns.get(turnId)?.interruptedBy === seq)
    tx.effects.push({ kind: 'interrupt', agentId: to, turnId, cause: seq });
}

function endModelCall(tx: Transaction, decision: DecisionContext, input: Extract<Input, { kind: 'model' }>): void {
  const agent = tx.run.agents.get(input.agentId);
  if (agent === undefined || agent.currentTurnId !== input.turnId || agent.status !== 'in_turn') {
    tx.emit(
      {
        type: 'note.add',
        level: 'info',
        code: 'MODEL_ABORTED',
        message: `a reply for ${input.turnId} came after that turn was over and was dropped`,
        agentId: input.agentId,
        turnId: input.turnId,
      },
      tx.run.turns.get(input.turnId)?.start.seq,
    );
    return;
  }
  const action = decision.agentNode.post(tx, agent, { turnId: input.turnId }, input.outcome);
  afterThinking(tx, decision.env, agent, input.turnId, action);
}

function endToolCall(tx: Transaction, decision: DecisionContext, input: Extract<Input, { kind: 'tool' }>): void {
  const agent = tx.run.agents.get(input.agentId);
  const call = agent?.openCalls.get(input.callId);
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
    },
    tx.run.turns.get(input.turnId)?.start.seq,
  );
}

/** What came of asking whether a call happened; nobody needs to know any more once it is over. */
function endVerification(tx: Transaction, decision: DecisionContext, input: Extract<Input, { kind: 'verify' }>): void {
  const agent = tx.run.agents.get(input.agentId);
  const call = agent?.openCalls.get(input.callId);
  if (agent === undefined || call?.status !== 'running') return;
  const outcome = applyVerdict(tx, decision.env, agent, call, input);
  if (outcome !== undefined) decision.toolNode.post(tx, agent, { callId: input.callId }, outcome);
}
