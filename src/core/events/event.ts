import type { ErrorRecord } from '../error.ts';
import type { AgentId, CallId, ContentHash, ItemId, RunId, TurnId } from '../ids.ts';
import type { InboxItem } from '../inbox/inbox.ts';
import type { CompactionEnd, CompactionStart, ContextTrim } from './context-events.ts';
import type { JsonObject, JsonValue, Writable } from '../json.ts';
import type { Limits } from '../profile/profile.ts';
import type { RunTitle } from './title-event.ts';
import type { ProfileChange } from './profile-edit.ts';
import type { EscalationAction, Streak } from '../profile/escalation.ts';
import type { ToolAnswer, ToolEnd, ToolLate, ToolRequest, ToolStart, ToolSuspend, ToolVerify } from './tool-events.ts';
import type { DispatchUpdate, ModuleUpdate, StateChange, StatePatch } from './team-events.ts';
import type { ModelEnd, TurnDecide, TurnEnd, TurnStart } from './turn-events.ts';

/** The final statuses of a run. */
export type RunEndStatus = 'completed' | 'failed' | 'cancelled';

/** A run begins. Every chain of causes ends here or at an item from outside. */
export interface RunStart {
  readonly type: 'run.start';
  readonly profile: string;
  readonly title: string;
  readonly input: JsonValue;
  /** Values of the request, for texts, conditions, settings and tools; and a hash of the whole request, when it may be repeated. */
  readonly request?: JsonObject;
  readonly requestHash?: string;
  /** Content hash of the JSON list of the run's profile files. */
  readonly profiles: ContentHash;
  /** Content hash of the tools registered in code, as JSON (`GivenTools`): settings and definitions, no secrets. Old journals lack it. */
  readonly given?: ContentHash;
  /** The LLM config that overrides those of all profiles, if any. */
  readonly llmConfig?: string;
  readonly limits: Limits;
  /** Folder that its tools work in, if the launch named one. */
  readonly workspace?: string;
  readonly parentRun?: { readonly runId: RunId; readonly at: number };
  readonly engineVersion: string;
  /** Seed of the nonces of its frames; absent in journals of earlier versions. No tool receives it. */
  readonly frameSeed?: string;
  /** Present when the run was imported from a file: it can be inspected and never goes on. */
  readonly imported?: RunImport;
}
/** Origin and time of an imported run. */
export interface RunImport {
  /** The file, as named by the import. */
  readonly from: string;
  /** Milliseconds since 1970 of the import, and of the bundle's export. */
  readonly at: number;
  readonly exportedAt: number;
  /** Its original id, when it has another one here. */
  readonly runId?: RunId;
  /** The bundle was redacted. */
  readonly redacted: boolean;
  /** Content hash of the facts that views need of its profiles, as JSON: foreign profiles are never compiled. */
  readonly facts: ContentHash;
}
/** The run has nothing to do but wait, or has work again; `pending` approvals and questions wait for a person (absent: none). */
export interface RunStatusChange {
  readonly type: 'run.status';
  readonly status: 'running' | 'awaiting';
  readonly pending?: number;
}
/** An unfinished run is resumed after its process died or its engine closed. The request came from outside, so it has no cause. */
export interface RunResume {
  readonly type: 'run.resume';
  /** The engine version that resumes the run; `run.start` has the one that began it. */
  readonly engineVersion: string;
  /** Milliseconds since the event before; 0 when the clock went backwards. */
  readonly downMs: number;
  /** For a run that began without one. */
  readonly frameSeed?: string;
  /** Content hash of the profile files in use from here on, when they differ from before. */
  readonly profiles?: ContentHash;
  /** Content hash of the tools registered in code from here on, when they differ from before. */
  readonly given?: ContentHash;
  /** Events of the standing approvals that end because their gate changed or is gone, or because this is a fork. */
  readonly revoked?: readonly number[];
}
/** A person or program changes profiles of a running run. */
export interface ProfilesUpdate {
  readonly type: 'profiles.update';
  /** Content hash of the profile files in use from here on. */
  readonly profiles: ContentHash;
  readonly changes: readonly ProfileChange[];
  /** Events of the standing approvals that end because their gate changed or is gone. */
  readonly revoked?: readonly number[];
}
/** Tools that a connecting toolset offers the run from here on: recorded when the run begins or resumes, and on every change. */
export interface ToolsetUpdate {
  readonly type: 'toolset.update';
  readonly toolset: string;
  /** Content hash of the facts of its tools, as a JSON list. */
  readonly tools: ContentHash;
}
/** The wall clock jumped, forwards or back, while this process ran the run: deadlines do not follow it. */
export interface ClockJump {
  readonly type: 'clock.jump';
  readonly ms: number;
}
/** A run is over; its state stays readable for ever. */
export interface RunEnd {
  readonly type: 'run.end';
  readonly status: RunEndStatus;
  readonly outcome: string;
  readonly output: string;
  readonly deliverables: JsonObject;
  readonly error?: ErrorRecord;
}

/** An agent starts. */
export interface AgentStart {
  readonly type: 'agent.start';
  readonly agentId: AgentId;
  readonly parentAgentId?: AgentId;
  readonly profile: string;
  readonly profileType: string;
  readonly roleName?: string;
  readonly moduleId?: string;
  readonly depth: number;
  readonly initialParams: JsonObject;
  /** The call that started it; the call's result depends on this agent. */
  readonly callId?: CallId;
  /** The agent to notify, by an item of this source, when the new agent ends. */
  readonly notify?: { readonly agentId: AgentId; readonly source: string };
  /** Overrides the profile's allowed toolsets. */
  readonly allowedToolsets?: readonly string[];
  /** The turn that the baton comes from. */
  readonly lastTurnId?: TurnId;
  readonly flowId: string;
  /** Held until a slot is free; `agent.release` starts it. */
  readonly held?: boolean;
}
/** A held agent may take turns now. */
export interface AgentRelease {
  readonly type: 'agent.release';
  readonly agentId: AgentId;
}
/** An agent waits for items; with `on`, only items of these sources wake it. */
export interface AgentAwait {
  readonly type: 'agent.await';
  readonly agentId: AgentId;
  readonly on?: readonly string[];
  /** It stopped at this checkpoint of its profile, and a person decides whether it goes on. */
  readonly checkpoint?: { readonly id: string; readonly prompt: string };
}
/** An agent starts a new iteration: counters are reset and messages archived, unless it keeps its history. */
export interface AgentRestart {
  readonly type: 'agent.restart';
  readonly agentId: AgentId;
  readonly iteration: number;
  readonly initialParams: JsonObject;
  /** The call that restarted it; the call's result depends on this agent. */
  readonly callId?: CallId;
  /** It goes on where it ended or waited: prompts begin with its earlier history. */
  readonly keepsHistory?: true;
}
/** An agent ends with the outcome `success`, `error`, `limit`, `cancelled`, or one that its profile defines. */
export interface AgentEnd {
  readonly type: 'agent.end';
  readonly agentId: AgentId;
  readonly outcome: string;
  readonly output: string;
  readonly deliverables: JsonObject;
  readonly error?: ErrorRecord;
}

/** An agent is warned that a limit is near (1), or that its next turn is the last and has no tools (2). */
export interface LimitReach {
  readonly type: 'limit.reach';
  readonly agentId: AgentId;
  readonly stage: 1 | 2;
  /** Owner of the limit: the agent with all below it, its work module, or the run. */
  readonly scope: 'agent' | 'module' | 'run';
  readonly limit: 'turns' | 'tool_calls' | 'tokens' | 'cost_usd' | 'wall_seconds' | 'context';
  readonly used: number;
  readonly allowed: number;
  /** Scope, limit and figures in words. */
  readonly reason: string;
}

/** An agent stagnates, and a step (`rung`) of its profile's escalation is taken. */
export interface StagnationAct {
  readonly type: 'stagnation.act';
  readonly agentId: AgentId;
  readonly rung: string;
  /** The streak, its length that triggers the step, and its length now. */
  readonly on: Streak;
  readonly threshold: number;
  readonly count: number;
  readonly action: EscalationAction['type'];
  /** For `forbid_tool`: tools that the next turn does not offer. */
  readonly tools?: readonly string[];
  readonly llmConfig?: string;
  /** For `ask_human`: the question. */
  readonly prompt?: string;
}

/** An item arrives in an agent's inbox. */
export interface InboxAdd {
  readonly type: 'inbox.add';
  readonly agentId: AgentId;
  readonly item: InboxItem;
}
/** An ingestor failed on an item; the item stays until the number of failures reaches its limit. */
export interface InboxFail {
  readonly type: 'inbox.fail';
  readonly agentId: AgentId;
  readonly itemId: ItemId;
  readonly error: ErrorRecord;
}
/** An item leaves an inbox unread. */
export interface InboxDrop {
  readonly type: 'inbox.drop';
  readonly agentId: AgentId;
  readonly itemId: ItemId;
  readonly reason: 'expired' | 'dead_letter' | 'agent_ended';
}

/** A remark that changes no state: a warning, or a contained fault. */
export interface NoteAdd {
  readonly type: 'note.add';
  readonly level: 'info' | 'warning' | 'error';
  readonly code: string;
  readonly message: string;
  readonly agentId?: AgentId;
  readonly turnId?: TurnId;
}

/** The content of an event, before it has a place in the journal. */
export type EventDraft =
  | RunStart
  | RunStatusChange
  | RunResume
  | ProfilesUpdate
  | ToolsetUpdate
  | ClockJump
  | RunTitle
  | RunEnd
  | AgentStart
  | AgentRelease
  | AgentAwait
  | AgentRestart
  | AgentEnd
  | LimitReach
  | StagnationAct
  | InboxAdd
  | InboxFail
  | InboxDrop
  | TurnStart
  | ModelEnd
  | TurnDecide
  | ToolRequest
  | ToolStart
  | ToolSuspend
  | ToolAnswer
  | ToolVerify
  | ToolEnd
  | ToolLate
  | TurnEnd
  | ContextTrim
  | CompactionStart
  | CompactionEnd
  | ModuleUpdate
  | DispatchUpdate
  | StateChange
  | StatePatch
  | NoteAdd;

/** Place of an event in the journal. */
export interface EventPlace {
  readonly runId: RunId;
  /** 1 for a run's first event, without gaps. */
  readonly seq: number;
  /** Wall time in milliseconds since 1970. */
  readonly at: number;
  /** Sequence number of the event that caused this one; absent for input from outside. */
  readonly cause?: number;
}

/**
 * Placeholder for the place of an event in the making. The events of every turn name these fields in their literals, and
 * `Transaction.emit` fills them in: adding fields later costs an extra object each time.
 */
export const unplaced: { readonly runId: RunId; readonly seq: number; readonly at: number; readonly cause: number } = {
  runId: '' as RunId,
  seq: 0,
  at: 0,
  cause: 0,
};

/** Draft of an event with room for its place. */
export type Roomy<Draft> = Writable<Draft & typeof unplaced>;

/** One entry of a run's journal: the closed union of all events. */
export type CadreEvent = EventDraft & EventPlace;

/** Name of an event type. */
export type EventType = CadreEvent['type'];

/** The event of one type. */
export type EventOf<Type extends EventType> = Extract<CadreEvent, { readonly type: Type }>;
