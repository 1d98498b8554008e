import type { AgentContext } from './agent-context.ts';
import type { Budget, RunUsage } from './budget.ts';
import type { CallState } from './turn-state.ts';
import type { ErrorRecord } from '../error.ts';
import type { EventOf } from '../events/event.ts';
import type { AgentId, CallId, TurnId } from '../ids.ts';
import type { InboxItem, WaitingItem } from '../inbox/inbox.ts';
import type { JsonObject } from '../json.ts';
import type { TakenStep } from '../profile/escalation.ts';
import type { MessageOrigin, PromptMessage } from '../prompt/message.ts';
import type { SourceMarks } from '../prompt/prompt-sources.ts';
import type { StateTaint } from '../untrusted/taint.ts';
import type { LimitStage } from './limit-stage.ts';
import type { OwnQuestion } from './own-question.ts';
import type { ToolBound } from './turn.ts';

/** Private state of one agent, grouped by concern; the fold of its events. */
export interface SubContext {
  meta: SubContextMeta;
  status: AgentStatus;
  /** Agents it started, oldest first. */
  readonly children: AgentId[];
  /** The task at hand and those before it. */
  readonly work: AgentWork;
  readonly inbox: AgentInbox;
  readonly history: AgentHistory;
  /** The size of its prompts, and the part of its history that they show. */
  readonly context: AgentContext;
  readonly turn: AgentTurn;
  readonly calls: AgentCalls;
  readonly counters: AgentCounters;
  readonly streaks: AgentStreaks;
  readonly limits: AgentLimits;
  readonly result: AgentResult;
  flags: JsonObject;
  /** Free values that `update_state` sets, outside `flags`. */
  values: JsonObject;
  deliverables: JsonObject;
  initialParams: JsonObject;
  /** Paths of `flags`, `values` and `deliverables` that hold text from outside. */
  readonly stateTaint: StateTaint;
}

/** Status of an agent. `held` agents wait for a free slot. */
export type AgentStatus = 'held' | 'ready' | 'in_turn' | 'awaiting_tools' | 'awaiting_input' | 'ended';

/** Identity of an agent. */
export interface SubContextMeta {
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

/** A start of an agent, or a time it was sent on, with the call that waits for its result, if any. */
export interface Beginning {
  readonly seq: number;
  readonly at: number;
  readonly callId: CallId | undefined;
}

/** Tasks of an agent: one iteration per time it was started or sent on. */
export interface AgentWork {
  iteration: number;
  /** One entry per iteration; the last one is under way. */
  beginnings: readonly Beginning[];
  /** The work module it works on, itself or through an agent above it, and the agent that dispatched the module. */
  readonly moduleScope: string | undefined;
  readonly moduleLead: AgentId | undefined;
}

/** Items that wait for an agent's next turn. */
export interface AgentInbox {
  items: WaitingItem[];
  /** Items that expired or could not be ingested. */
  readonly deadLetters: InboxItem[];
  /** Sources that may wake it while `awaiting_input`; undefined = any. */
  awaitingOn: readonly string[] | undefined;
}

/**
 * The provider-shaped history, append-only; `origins[i]` says where `messages[i]` came from. Its oldest messages may
 * have been released: `messages[i]` is message `released + i` of the history, which is how events count.
 */
export interface AgentHistory {
  messages: PromptMessage[];
  origins: MessageOrigin[];
  /** Ids in `messages` that providers gave to their calls. */
  readonly wireIds: Set<string>;
  /** Number of messages before `messages[0]` that were released (`fold/release.ts`). */
  released: number;
  /** Histories of earlier iterations. */
  readonly archived: {
    readonly iteration: number;
    readonly messages: readonly PromptMessage[];
    readonly origins: readonly MessageOrigin[];
    readonly released: number;
  }[];
  /** Sources of everything it has read. */
  readonly sources: SourceMarks;
}

/** The tool call the last reply asked for (the first one, when there are several). */
export interface CurrentAction {
  readonly tool_name: string;
  readonly tool_call_id: string;
  readonly parameters: JsonObject | null;
  /** All calls of the reply, by name. */
  readonly tool_names: readonly string[];
}

/** The current turn, the last one, and settings of the next. */
export interface AgentTurn {
  currentId: TurnId | undefined;
  lastId: TurnId | undefined;
  /** Turns since the agent started, over all iterations. */
  count: number;
  flowId: string;
  action: CurrentAction | null;
  lastReply: string;
  /** The last decision asked for another turn, with or without new items. */
  loop: boolean;
  /** Tool choice of the next model call, set by the decider. */
  nextToolChoice: string | undefined;
  /** Choice and filter of tools that observers set for the current turn. */
  toolBound: ToolBound | undefined;
  /** Tools that the next turn does not offer. */
  forbiddenTools: readonly string[];
  /** The open question that its profile asked a person: an escalation or a checkpoint. */
  question: OwnQuestion | undefined;
  /** Changes that observers made before the next turn began; its record lists them. */
  changesBefore: EventOf<'state.update' | 'state.patch'>[];
  /** Escalations before the next turn began; its record lists them. */
  escalationsBefore: readonly EventOf<'stagnation.act'>[];
  /** Consecutive replies whose calls the provider rejected. */
  brokenReplies: number;
  /** Consecutive answers that were returned because they broke `output_schema`. */
  outputRepairs: number;
}

/** Tool calls of an agent. */
export interface AgentCalls {
  /** Calls of the current turn that have not ended. */
  readonly open: Map<CallId, CallState>;
  /** Calls since the agent started. */
  total: number;
}

/** Repetition, as escalation sees it. */
export interface AgentStreaks {
  /** Signatures of the latest actions and their results, for cycle detection; newest last, at most 4. */
  readonly signatures: string[];
  /** At index n - 1: the number of consecutive signatures that equalled the one n before. */
  readonly cycleMatches: number[];
  /** Steps of the profile's escalation that were taken and whose streak has not broken. */
  escalations: readonly TakenStep[];
  /** Turns since it started, or since a person last wrote to it. */
  turnsAlone: number;
}

/** Limits of an agent: what it has used, and what it was told. */
export interface AgentLimits {
  stage: LimitStage;
  reason: string | undefined;
  /** Limits it was warned of, by `toldKey`. */
  readonly told: string[];
  /** Start of its last turn's notice, in working time of the run. */
  limitedAt: number | undefined;
  /** Start of its current work, in working time of the run; undefined while it is held. */
  workingSince: number | undefined;
  readonly usage: RunUsage;
  /** Use of this agent and all agents below it. */
  readonly budget: Budget;
}

/** How an agent ended; undefined fields until then. */
export interface AgentResult {
  outcome: string | undefined;
  output: string;
  error: ErrorRecord | undefined;
}

/** Built-in counters, readable as `counters.*` in conditions. */
export interface AgentCounters {
  turnCount: number;
  noToolCallStreak: number;
  sameActionSameResultStreak: number;
  duplicateReplyStreak: number;
  emptyReplyStreak: number;
  toolErrorStreak: number;
  /** Model calls that failed one after the other; an interrupted one did not fail. */
  modelErrorStreak: number;
  toolCallCount: number;
  tokensUsed: number;
}
