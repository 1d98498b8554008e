import type { AgentContext } from './agent-context.ts';
import type { AgentCounters } from './agent-counters.ts';
import type { Capability } from './capability.ts';
import type { Budget, ModuleBudget, RunUsage } from './budget.ts';
import type { EventOf, RunEndStatus } from '../events/event.ts';
import type { ErrorRecord } from '../error.ts';
import type { AgentId, CallId, TurnId } from '../ids.ts';
import type { InboxItem, WaitingItem } from '../inbox/inbox.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { MessageOrigin, PromptMessage } from '../prompt/message.ts';
import type { Limits } from '../profile/profile.ts';
import type { PromptSources, SourceMarks } from '../prompt/prompt-sources.ts';
import type { OwnQuestion } from './own-question.ts';
import type { TakenStep } from '../profile/escalation.ts';
import type { StateTaint } from '../untrusted/taint.ts';
import type { StandingApproval } from './standing-approval.ts';
import type { ToolBound, CallStatus } from './turn.ts';
import type { WaitFor } from '../tool/wait-for.ts';
import type { DispatchRecord, WorkModule } from '../team/work-module.ts';
import type { RunCounters } from './run-counters.ts';
import type { RunMeta } from './run-meta.ts';

/**
 * The state of a run: the fold of its events, and nothing else. Only `fold/` writes to it; everybody else gets it
 * through these types and treats it as read-only. Small slices (flags, modules, shared values) are replaced on change;
 * messages, turns and inboxes are append-only structures changed in place (PERFORMANCE 3).
 */
export interface RunContext {
  /** Replaced when the run goes on with other profiles. */
  meta: RunMeta;
  status: 'running' | 'awaiting' | RunEndStatus;
  outcome: string | undefined;
  output: string;
  deliverables: JsonObject;
  error: ErrorRecord | undefined;
  readonly team: TeamState;
  readonly agents: Map<AgentId, SubContext>;
  rootAgentId: AgentId | undefined;
  /** The agent of each profile type that started last. */
  readonly latestOfType: Map<string, AgentId>;
  /** Model calls and tools that run at this moment. */
  activity: number;
  /** Approvals and questions that wait for a person, counted as they come and go, and as many as the journal says there are. */
  pending: number;
  pendingTold: number;
  /** Agents that are held back until a slot is free. */
  held: number;
  /** The newest turns of each agent; older ones were released, and are read from the journal (`fold/release.ts`). */
  readonly turns: Map<TurnId, TurnState>;
  readonly keeps: Keeps;
  /** What the nonces of its frames are made of; undefined in a run that began before frames had one. */
  frameSeed: string | undefined;
  /** Some agent of it has read untrusted text: what agents share may carry it. */
  isTainted: boolean;
  /** A model was asked for its title. */
  isTitled: boolean;
  /** What a person allowed until the run ends. */
  standing: readonly StandingApproval[];
  readonly usage: RunUsage;
  readonly limits: Limits;
  readonly budget: Budget;
  readonly moduleBudgets: Map<string, ModuleBudget>;
  /** Sequence number of the last event folded in. */
  seq: number;
  /** Wall time of the last event folded in. */
  at: number;
  readonly counters: RunCounters;
  /** When the run began to wait for somebody, as long as it does. */
  awaitingSince: number | undefined;
  /** How far the wall clock has jumped since the run began, in milliseconds. */
  jumpedMs: number;
  /** Milliseconds the run lay still: waiting for somebody, or taken up by no process. They are no working time. */
  pausedMs: number;
  /** The times it was taken up again. */
  readonly resumes: { readonly at: number; readonly downMs: number }[];
}

/** Whether a fold keeps everything, for whoever inspects a run, or releases what no decision can need any more. */
export type Keeps = 'recent' | 'everything';

/** What all agents of a run share. */
export interface TeamState {
  /** By id; a module is replaced when it changes, the record is changed in place. */
  readonly workModules: Record<string, WorkModule>;
  readonly dispatchHistory: DispatchRecord[];
  /** Where in `dispatchHistory` a dispatch stands, and the latest one of each agent. */
  readonly dispatchIndex: Map<string, number>;
  readonly dispatchOfAgent: Map<AgentId, number>;
  /** Free values for observers and tools. */
  shared: JsonObject;
  /** Words from outside in `shared`. */
  readonly taint: StateTaint;
  counters: JsonObject;
}

/** Where an agent stands. `held` agents wait for a free slot. */
export type AgentStatus = 'held' | 'ready' | 'in_turn' | 'awaiting_tools' | 'awaiting_input' | 'ended';

/** What an agent is. */
export interface AgentMeta {
  readonly agentId: AgentId;
  readonly parentAgentId: AgentId | undefined;
  readonly profile: string;
  readonly type: string;
  readonly roleName: string | undefined;
  readonly moduleId: string | undefined;
  readonly depth: number;
  readonly startedAt: number;
  /** The sequence number of its `agent.start`. */
  readonly seq: number;
  readonly callId: CallId | undefined;
  readonly notify: { readonly agentId: AgentId; readonly source: string } | undefined;
  readonly allowedToolsets: readonly string[] | undefined;
}

/** A time an agent set out, and the call that asked for it, if one waits for what it hands in. */
export interface Beginning {
  readonly seq: number;
  readonly at: number;
  readonly callId: CallId | undefined;
}

/** The tool call the last reply asked for (the first one, when there are several). */
export interface CurrentAction {
  readonly tool_name: string;
  readonly tool_call_id: string;
  readonly parameters: JsonObject | null;
  /** All calls of the reply, by name. */
  readonly tool_names: readonly string[];
}

/** One agent's private state. */
export interface SubContext extends AgentContext {
  meta: AgentMeta;
  status: AgentStatus;
  /**
   * The provider-shaped history, append-only; `origins[i]` says where `messages[i]` came from. Its oldest messages may
   * have been released: `messages[i]` is message `released + i` of the history, which is how events count.
   */
  messages: PromptMessage[];
  origins: MessageOrigin[];
  /** Ids in `messages` that providers gave to their calls. */
  readonly wireIds: Set<string>;
  /** How many messages before the first one that is here were released (`fold/release.ts`). */
  released: number;
  /** Histories of earlier iterations. */
  readonly archived: {
    readonly iteration: number;
    readonly messages: readonly PromptMessage[];
    readonly origins: readonly MessageOrigin[];
    readonly released: number;
  }[];
  inbox: WaitingItem[];
  readonly deadLetters: InboxItem[];
  flags: JsonObject;
  /** Free values set by `update_state`, outside `flags`. */
  values: JsonObject;
  deliverables: JsonObject;
  currentAction: CurrentAction | null;
  initialParams: JsonObject;
  readonly counters: AgentCounters;
  readonly usage: RunUsage;
  /** Of this agent and all agents below it. */
  readonly budget: Budget;
  /** The work module it is at, itself or by way of an agent above it, and who dispatched that. */
  readonly moduleScope: string | undefined;
  readonly moduleLead: AgentId | undefined;
  iteration: number;
  /** Each time it set out: its start, and every time it was sent on; the last one is what it does now. */
  beginnings: readonly Beginning[];
  flowId: string;
  turnCount: number;
  currentTurnId: TurnId | undefined;
  lastTurnId: TurnId | undefined;
  lastReply: string;
  /** Signatures of the latest actions and their results, for cycle detection; newest last, at most 4. */
  readonly signatures: string[];
  /** At index n - 1: how many signatures in a row equalled the one n before. */
  readonly cycleMatches: number[];
  /** The rungs of the profile's ladder it stands on. */
  escalations: readonly TakenStep[];
  /** Tools that are not offered in the turn to come. */
  forbiddenTools: readonly string[];
  /** What observers made of the tools of the current turn. */
  toolBound: ToolBound | undefined;
  /** What a person was asked because it got nowhere, or came to a checkpoint. */
  question: OwnQuestion | undefined;
  /** Turns it took since it began, or since a person last spoke to it. */
  turnsAlone: number;
  /** Changes observers made before the next turn began; they belong to its record. */
  changesBeforeTurn: EventOf<'state.update' | 'state.patch'>[];
  /** Rungs climbed before the next turn began; they belong to its record, too. */
  escalationsBeforeTurn: readonly EventOf<'stagnation.act'>[];
  /** The last decision asked for another turn, with or without new items. */
  loop: boolean;
  /** Sources that may wake it while `awaiting_input`; undefined = any. */
  awaitingOn: readonly string[] | undefined;
  /** Calls of the current turn that have not ended. */
  readonly openCalls: Map<CallId, CallState>;
  /** Its last replies, in a row, that were calls which the provider did not take. */
  brokenReplies: number;
  /** How often in a row its answer was given back because it did not fit `output_schema`. */
  outputRepairs: number;
  /** A bound on the next model call, set by the decider. */
  nextToolChoice: string | undefined;
  /** 1 = told to wrap up, 2 = on its last turn. */
  limitStage: 0 | 1 | 2;
  limitReason: string | undefined;
  /** The limits it was told of, by `toldKey`. */
  readonly limitsTold: string[];
  /** When it was told that its next turn is the last, in working time of the run. */
  limitedAt: number | undefined;
  /** When it went to work, in working time of the run; undefined while it is held back. */
  workingSince: number | undefined;
  outcome: string | undefined;
  output: string;
  error: ErrorRecord | undefined;
  readonly children: AgentId[];
  toolCallsTotal: number;
  /** Where what it has read came from. */
  readonly sources: SourceMarks;
  /** Words from outside in its own state. */
  readonly stateTaint: StateTaint;
}

/** One tool call, as long as its run is in memory. */
export interface CallState {
  readonly callId: CallId;
  readonly request: EventOf<'tool.request'>;
  /** What it runs with: the arguments of the request, or those a person put in their place. */
  args: JsonObject | null;
  readonly index: number;
  status: 'requested' | 'running' | 'suspended' | CallStatus;
  waitFor: WaitFor | undefined;
  memo: JsonValue;
  startSeq: number | undefined;
  startedAt: number | undefined;
  /** When it began to wait, by a clock that never jumps. */
  suspendedAt: number | undefined;
  /** When it waited for a person, by the wall clock; the last wait has no end while it lasts. */
  waits: readonly { readonly from: number; readonly to: number | undefined }[];
  attempt: number;
  /** Set once a person allowed it. */
  approved: boolean;
  /** What was agreed to when it was allowed. */
  agreed: Capability | undefined;
  /** It was started and did not end, and nothing says that it did not happen. */
  mayHaveHappened: boolean;
  end: EventOf<'tool.end'> | undefined;
}

/** One turn: the events it is made of. Turn records are built from these on demand. */
export interface TurnState {
  readonly turnId: TurnId;
  readonly agentId: AgentId;
  readonly start: EventOf<'turn.start'>;
  /** The raw items behind `start.inputs`, in the same order. */
  readonly items: readonly (InboxItem | undefined)[];
  readonly itemSeqs: readonly number[];
  /** Where what its prompt held came from. */
  readonly sources: PromptSources;
  /** Sequence number of the item that interrupted its model call. */
  interruptedBy: number | undefined;
  modelEnd: EventOf<'model.end'> | undefined;
  decide: EventOf<'turn.decide'> | undefined;
  calls: CallState[];
  stateChanges: EventOf<'state.update' | 'state.patch'>[] | undefined;
  /** The rungs of the ladder that were climbed before it began. */
  readonly escalations: readonly EventOf<'stagnation.act'>[];
  end: EventOf<'turn.end'> | undefined;
}
