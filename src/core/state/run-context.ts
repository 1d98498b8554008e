import type { Budget, ChargedCall, ModuleBudget, RunUsage } from './budget.ts';
import type { ParentRun, RunEndStatus, RunImport } from '../events/run-events.ts';
import type { ErrorRecord } from '../error.ts';
import type { AgentId, CallId, TurnId, ContentHash, RunId } from '../ids.ts';
import type { RunningCall } from '../events/tool-parts.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { Limits } from '../profile/profile.ts';
import type { StandingApproval } from './standing-approval.ts';
import type { SubContext } from './sub-context.ts';
import type { TeamState } from './team-state.ts';
import type { TurnState } from './turn-state.ts';

/**
 * State of a run: the fold of its events and nothing else. Only `fold/` writes to it; all other code treats it as read-only.
 * Small slices (flags, modules, shared values) are replaced on change; messages, turns and inboxes are append-only structures
 * changed in place (I13).
 */
export interface RunContext {
  /** Replaced when the run goes on with other profiles. */
  meta: RunMeta;
  status: 'running' | 'awaiting' | RunEndStatus;
  outcome: string | undefined;
  output: string;
  deliverables: JsonObject;
  error: ErrorRecord | undefined;
  /** The person who cancelled it, if one did. */
  endedBy: string | undefined;
  readonly team: TeamState;
  readonly agents: Map<AgentId, SubContext>;
  rootAgentId: AgentId | undefined;
  /** The agent of each profile type that started last. */
  readonly latestOfType: Map<string, AgentId>;
  /** Model calls and tools that are running. */
  activity: number;
  /** Approvals and questions that wait for a person: the current count, and the count that the journal last recorded. */
  pending: number;
  pendingRecorded: number;
  /** Calls that ended before their tools did, until these report their results. */
  readonly running: Map<CallId, RunningCall>;
  /** Agents held until a slot is free. */
  held: number;
  /** The newest turns of each agent; older ones are released and read from the journal (`fold/release.ts`). */
  readonly turns: Map<TurnId, TurnState>;
  readonly keeps: Keeps;
  /** Seed of the nonces of its frames; undefined in a run that began before frames had nonces. */
  frameSeed: string | undefined;
  /** True once any agent of the run has read untrusted text: shared values may carry it. */
  isTainted: boolean;
  /** Untrusted sources of all text that it holds, read or not. */
  readonly outside: Set<string>;
  /** True once a model was asked for its title. */
  isTitled: boolean;
  /** Approvals that a person gave until the run ends. */
  standing: readonly StandingApproval[];
  readonly usage: RunUsage;
  readonly limits: Limits;
  readonly budget: Budget;
  readonly moduleBudgets: Map<string, ModuleBudget>;
  /** Model calls whose attempts were charged one by one, by the id of the turn or the compaction, or `title`. */
  readonly chargedCalls: Map<string, ChargedCall>;
  /** Sequence number of the last event folded in. */
  seq: number;
  /** Wall time of the last event folded in. */
  at: number;
  readonly counters: RunCounters;
  /** Start of the current wait for a person or a message. */
  awaitingSince: number | undefined;
  /** Sum of the wall clock's jumps since the run began, in milliseconds. */
  jumpedMs: number;
  /** Milliseconds without working time: the run waited for a person or a message, or no process owned it. */
  pausedMs: number;
  /** Each resume of the run, with the downtime before it. */
  readonly resumes: { readonly at: number; readonly downMs: number }[];
  /** Sequence number of the last resume; 0 before there was one. */
  resumedSeq: number;
}

/** Retention of a fold: `everything` for inspection, or `recent`, which releases what no decision can need. */
export type Keeps = 'recent' | 'everything';

/** Counters that ids derive from. */
export interface RunCounters {
  agents: number;
  calls: number;
  items: number;
  modules: number;
  dispatches: number;
  turns: number;
  toolCalls: number;
}

/** Identity and settings of a run. */
export interface RunMeta {
  readonly runId: RunId;
  readonly profile: string;
  readonly title: string;
  readonly input: JsonValue;
  /** Values of the request that the run answers. */
  readonly request: JsonObject;
  readonly createdAt: number;
  /** The profile files in use. */
  readonly profiles: ContentHash;
  /** Tools registered in code (`GivenTools`); undefined in journals of earlier versions. */
  readonly given: ContentHash | undefined;
  /** Tools that a toolset offers the run, by toolset name, where a connection changed its default list. */
  readonly toolsets: ReadonlyMap<string, ContentHash>;
  readonly llmConfig: string | undefined;
  readonly engineVersion: string;
  /** The person who launched or forked it; absent: a program. */
  readonly by: string | undefined;
  readonly workspace: string | undefined;
  readonly parentRun: ParentRun | undefined;
  /** Set when it was imported from a file: such a run never goes on. */
  readonly imported: RunImport | undefined;
}
