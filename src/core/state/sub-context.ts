import type { AgentContext } from './agent-context.ts';
import type { Budget, RunUsage } from './budget.ts';
import type { CallState } from './turn-state.ts';
import type { ErrorRecord } from '../error.ts';
import type { EventOf } from '../events/event.ts';
import type { RunningCall } from '../events/tool-parts.ts';
import type { AgentId, CallId, TurnId } from '../ids.ts';
import type { InboxItem, WaitingItem } from '../inbox/inbox.ts';
import type { JsonObject } from '../json.ts';
import type { TakenStep } from '../profile/escalation.ts';
import type { MessageOrigin, PromptMessage } from '../prompt/message.ts';
import type { SourceMarks } from '../prompt/prompt-sources.ts';
import type { StateTaint } from '../untrusted/taint.ts';
import type { OwnQuestion } from './own-question.ts';
import type { ToolBound } from './turn.ts';

/** Private state of one agent, grouped by concern: the fold of its events. */
export interface SubContext {
  meta: SubContextMeta;
  status: AgentStatus;
  /** Agents that it started, oldest first. */
  readonly children: AgentId[];
  /** Current and earlier tasks. */
  readonly work: AgentWork;
  readonly inbox: AgentInbox;
  readonly history: AgentHistory;
  /** Size of its prompts, and the part of its history that they show. */
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
  /** Paths of `flags`, `values` and `deliverables` that hold untrusted text. */
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
  /** Sequence number of its `agent.start`. */
  readonly seq: number;
  readonly callId: CallId | undefined;
  readonly notify: { readonly agentId: AgentId; readonly source: string } | undefined;
  readonly allowedToolsets: readonly string[] | undefined;
}

/** Start of an iteration of an agent, with the call that waits for its result, if any. */
export interface Beginning {
  readonly seq: number;
  readonly at: number;
  readonly callId: CallId | undefined;
}

/** Tasks of an agent: one iteration per start or restart. */
export interface AgentWork {
  iteration: number;
  /** One entry per iteration; the last one is in progress. */
  beginnings: readonly Beginning[];
  /** The work module that it or an agent above it works on, and the agent that dispatched the module. */
  readonly moduleScope: string | undefined;
  readonly moduleLead: AgentId | undefined;
}

/** Items that wait for the agent's next turn. */
export interface AgentInbox {
  items: WaitingItem[];
  /** Items that expired or that no ingestor could read. */
  readonly deadLetters: InboxItem[];
  /** Sources that wake it while `awaiting_input`; undefined = any. */
  awaitingOn: readonly string[] | undefined;
}

/**
 * Provider-shaped history, append-only; `origins[i]` is the origin of `messages[i]`. The oldest messages may have been
 * released: `messages[i]` is message `released + i` of the history, which is how events count.
 */
export interface AgentHistory {
  messages: PromptMessage[];
  origins: MessageOrigin[];
  /** Ids that providers gave to the calls in `messages`. */
  readonly wireIds: Set<string>;
  /** Number of released messages before `messages[0]` (`fold/release.ts`). */
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

/** The tool call that the last reply requested (the first one of several). */
export interface CurrentAction {
  readonly tool_name: string;
  readonly tool_call_id: string;
  readonly parameters: JsonObject | null;
  /** Names of all calls of the reply. */
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
  /** True when the last decision asked for another turn, with or without new items. */
  loop: boolean;
  /** Tool choice of the next model call, set by the decider. */
  nextToolChoice: string | undefined;
  /** Choice and filter of tools that observers set for the current turn. */
  toolBound: ToolBound | undefined;
  /** Tools that the next turn does not offer. */
  forbiddenTools: readonly string[];
  /** Open question that its profile asked a person, at an escalation or a checkpoint. */
  question: OwnQuestion | undefined;
  /** State changes by observers before the next turn; the record of that turn lists them. */
  changesBefore: EventOf<'state.update' | 'state.patch'>[];
  /** Escalations before the next turn; the record of that turn lists them. */
  escalationsBefore: readonly EventOf<'stagnation.act'>[];
  /** Consecutive replies whose calls the provider rejected. */
  brokenReplies: number;
  /** Consecutive answers that were sent back because they broke `output_schema`. */
  outputRepairs: number;
}

/** Tool calls of an agent. */
export interface AgentCalls {
  /** Calls of the current turn that have not ended. */
  readonly open: Map<CallId, CallState>;
  /** Calls since the agent started. */
  total: number;
}

/** Repetition in an agent's actions, the input of escalation. */
export interface AgentStreaks {
  /** Signatures of the latest actions with their results, for cycle detection; newest last, at most 4. */
  readonly signatures: string[];
  /** At index n - 1: the number of consecutive signatures that equalled the one n before. */
  readonly cycleMatches: number[];
  /** Escalation steps that were taken and whose streak has not broken. */
  escalations: readonly TakenStep[];
  /** Turns since its start or since the last message of a person. */
  turnsAlone: number;
}

/** Use of an agent's limits, and the warnings it received. */
export interface AgentLimits {
  stage: LimitStage;
  reason: string | undefined;
  /** Keys (`noticeKey`) of the limits that it was warned of. */
  readonly warned: string[];
  /** Time of the notice for its last turn, in working time of the run. */
  limitedAt: number | undefined;
  /** Start of its current work, in working time of the run; undefined while it is held. */
  workingSince: number | undefined;
  readonly usage: RunUsage;
  /** Use by this agent and all agents below it. */
  readonly budget: Budget;
}

/** Result of an ended agent; fields are undefined until then. */
export interface AgentResult {
  outcome: string | undefined;
  output: string;
  error: ErrorRecord | undefined;
  /** Calls that may have happened and had no result when they ended with it, or with an agent below it; each until its late result is in. */
  unknown: readonly RunningCall[];
}

/** Built-in counters, readable as `counters.*` in conditions. */
export interface AgentCounters {
  turnCount: number;
  noToolCallStreak: number;
  sameActionSameResultStreak: number;
  duplicateReplyStreak: number;
  emptyReplyStreak: number;
  toolErrorStreak: number;
  /** Consecutive failed model calls; an interrupted call is not a failure. */
  modelErrorStreak: number;
  toolCallCount: number;
  tokensUsed: number;
}

/** Stage of an agent with respect to its limits: far from them, warned, or on its last turn. */
type LimitStage = 'none' | 'warned' | 'last_turn';

/** Converts the stage of an event: journals write 1 for a warning and 2 for the last turn. */
export function toLimitStage(stage: 1 | 2): LimitStage {
  return stage === 2 ? 'last_turn' : 'warned';
}
