import type { Budget, ModuleBudget, RunUsage } from './budget.ts';
import type { RunEndStatus, RunImport } from '../events/event.ts';
import type { ErrorRecord } from '../error.ts';
import type { AgentId, TurnId, ContentHash, RunId } from '../ids.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { Limits } from '../profile/profile.ts';
import type { StandingApproval } from './standing-approval.ts';
import type { SubContext } from './sub-context.ts';
import type { TeamState } from './team-state.ts';
import type { TurnState } from './turn-state.ts';

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

/** Counters ids derive from. */
export interface RunCounters {
  agents: number;
  calls: number;
  items: number;
  modules: number;
  dispatches: number;
  turns: number;
  toolCalls: number;
}

/** What a run is. */
export interface RunMeta {
  readonly runId: RunId;
  readonly profile: string;
  readonly title: string;
  readonly input: JsonValue;
  /** The values of the request it answers. */
  readonly request: JsonObject;
  readonly createdAt: number;
  /** The profile files it goes by now. */
  readonly profiles: ContentHash;
  /** What code gave of tools; undefined in journals of earlier versions. */
  readonly given: ContentHash | undefined;
  /** By toolset, the tools it offers the run, where they are not those it has without a connection. */
  readonly toolsets: ReadonlyMap<string, ContentHash>;
  readonly llmConfig: string | undefined;
  readonly engineVersion: string;
  readonly workspace: string | undefined;
  readonly parentRun: { readonly runId: RunId; readonly at: number } | undefined;
  /** Set when it was read from a file: such a run never goes on. */
  readonly imported: RunImport | undefined;
}
