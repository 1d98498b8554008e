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

/** A run begins. Every chain of causes ends here or at an item somebody outside posted. */
export interface RunStart {
  readonly type: 'run.start';
  readonly profile: string;
  readonly title: string;
  readonly input: JsonValue;
  /** The values of the request it answers, for texts, conditions, settings and tools; and a hash of the whole of it, where it may be repeated. */
  readonly request?: JsonObject;
  readonly requestHash?: string;
  /** Content hash of the JSON list of profile files this run goes by. */
  readonly profiles: ContentHash;
  /** Content hash of what code gave of tools, as JSON (`GivenTools`): settings and definitions, no secrets. Old journals lack it. */
  readonly given?: ContentHash;
  /** The LLM config used instead of every profile's own, if any. */
  readonly llmConfig?: string;
  readonly limits: Limits;
  /** The folder its tools work in, when it was launched with one. */
  readonly workspace?: string;
  readonly parentRun?: { readonly runId: RunId; readonly at: number };
  readonly engineVersion: string;
  /** What the nonces of its frames are made of; absent in journals of earlier versions. No tool gets it. */
  readonly frameSeed?: string;
  /** It was not made here: it was read from a file, is there to be looked at, and never goes on. */
  readonly imported?: RunImport;
}
/** Where a run came from that was read from a file, and when. */
export interface RunImport {
  /** The file, as whoever imported it named it. */
  readonly from: string;
  /** Milliseconds since 1970: when it was imported, and when its bundle was written. */
  readonly at: number;
  readonly exportedAt: number;
  /** The id it had, when it has another one here. */
  readonly runId?: RunId;
  /** Its bundle was rid of secrets. */
  readonly redacted: boolean;
  /** Content hash of what views need of its profiles, as JSON: foreign profiles are never compiled. */
  readonly facts: ContentHash;
}
/** The run has nothing to do but wait, or has something to do again; `pending` approvals and questions wait for a person (absent: none). */
export interface RunStatusChange {
  readonly type: 'run.status';
  readonly status: 'running' | 'awaiting';
  readonly pending?: number;
}
/** A run that is not over was taken up again: its process died, or its engine was closed. Somebody outside did it, so it has no cause. */
export interface RunResume {
  readonly type: 'run.resume';
  /** The version that goes on; the one that began stands in `run.start`. */
  readonly engineVersion: string;
  /** Milliseconds since the event before; 0 when the clock went backwards. */
  readonly downMs: number;
  /** For a run that began without one. */
  readonly frameSeed?: string;
  /** Content hash of the profile files the run goes by from here on, when they are not those from before. */
  readonly profiles?: ContentHash;
  /** Content hash of what code gives from here on, when it is not what was recorded before. */
  readonly given?: ContentHash;
  /** Standing approvals that end, since their gate is another one or gone, or this is a fork: the events that gave them. */
  readonly revoked?: readonly number[];
}
/** Somebody outside changed profiles while the run goes on. */
export interface ProfilesUpdate {
  readonly type: 'profiles.update';
  /** Content hash of the profile files the run goes by from here on. */
  readonly profiles: ContentHash;
  readonly changes: readonly ProfileChange[];
  /** Standing approvals that end, since their gate is another one or gone: the events that gave them. */
  readonly revoked?: readonly number[];
}
/** What a toolset that connects to something offers the run from here on: recorded when the run begins or goes on, and whenever it changes. */
export interface ToolsetUpdate {
  readonly type: 'toolset.update';
  readonly toolset: string;
  /** Content hash of the facts of its tools, as a JSON list. */
  readonly tools: ContentHash;
}
/** The wall clock jumped, forwards or back, while the run was in this process: deadlines do not follow it. */
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

/** An agent exists from here on. */
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
  /** The call that started it; its result depends on this agent. */
  readonly callId?: CallId;
  /** Whom to tell, by an item of this source, when the agent ends. */
  readonly notify?: { readonly agentId: AgentId; readonly source: string };
  /** Replaces the profile's allowed toolsets. */
  readonly allowedToolsets?: readonly string[];
  /** The turn the baton comes from. */
  readonly lastTurnId?: TurnId;
  readonly flowId: string;
  /** Held back until a slot is free; started by `agent.release`. */
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
  /** It stopped at this checkpoint of its profile, and a person was asked whether it should go on. */
  readonly checkpoint?: { readonly id: string; readonly prompt: string };
}
/** An agent goes on in a new iteration: its counters start anew, and its messages are archived, unless it keeps its history. */
export interface AgentRestart {
  readonly type: 'agent.restart';
  readonly agentId: AgentId;
  readonly iteration: number;
  readonly initialParams: JsonObject;
  /** The call that sent it on; its result depends on this agent. */
  readonly callId?: CallId;
  /** It goes on where it ended or waited: prompts begin with what it has seen and said before. */
  readonly keepsHistory?: true;
}
/** An agent is done, in one of the outcomes `success`, `error`, `limit`, `cancelled`, or a profile's own word. */
export interface AgentEnd {
  readonly type: 'agent.end';
  readonly agentId: AgentId;
  readonly outcome: string;
  readonly output: string;
  readonly deliverables: JsonObject;
  readonly error?: ErrorRecord;
}

/** An agent was told that a limit is near (1), or that its next turn is its last and has no tools (2). */
export interface LimitReach {
  readonly type: 'limit.reach';
  readonly agentId: AgentId;
  readonly stage: 1 | 2;
  /** Whose limit it is: the agent's with all below it, that of the work module it is at, or the run's. */
  readonly scope: 'agent' | 'module' | 'run';
  readonly limit: 'turns' | 'tool_calls' | 'tokens' | 'cost_usd' | 'wall_seconds' | 'context';
  readonly used: number;
  readonly allowed: number;
  /** The three above in words. */
  readonly reason: string;
}

/** An agent got nowhere, and a rung of its profile's ladder was climbed. */
export interface StagnationAct {
  readonly type: 'stagnation.act';
  readonly agentId: AgentId;
  readonly rung: string;
  /** The streak, the length the rung stands at, and how long it was. */
  readonly on: Streak;
  readonly threshold: number;
  readonly count: number;
  readonly action: EscalationAction['type'];
  /** For `forbid_tool`: not offered in the next turn. */
  readonly tools?: readonly string[];
  readonly llmConfig?: string;
  /** For `ask_human`: what a person is asked. */
  readonly prompt?: string;
}

/** An item arrives in an agent's inbox. */
export interface InboxAdd {
  readonly type: 'inbox.add';
  readonly agentId: AgentId;
  readonly item: InboxItem;
}
/** An ingestor failed on an item; it stays until it has failed too often. */
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

/** Something worth knowing that changes no state: a warning, a fault that was contained. */
export interface NoteAdd {
  readonly type: 'note.add';
  readonly level: 'info' | 'warning' | 'error';
  readonly code: string;
  readonly message: string;
  readonly agentId?: AgentId;
  readonly turnId?: TurnId;
}

/** What an event is about, before it has a place in the journal. */
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

/** An event's place in the journal. */
export interface EventPlace {
  readonly runId: RunId;
  /** 1 for a run's first event, without gaps. */
  readonly seq: number;
  /** Wall time in milliseconds since 1970. */
  readonly at: number;
  /** Sequence number of the event that brought this one about; absent for what came from outside. */
  readonly cause?: number;
}

/**
 * Room for the place of an event that is still being made. The events that every turn has name these fields in their
 * literals, and `Transaction.emit` fills them in: fields that are added later cost an object of their own each time.
 */
export const unplaced: { readonly runId: RunId; readonly seq: number; readonly at: number; readonly cause: number } = {
  runId: '' as RunId,
  seq: 0,
  at: 0,
  cause: 0,
};

/** An event's draft with room for its place. */
export type Roomy<Draft> = Writable<Draft & typeof unplaced>;

/** One entry of a run's journal: the closed union of everything that can happen. */
export type CadreEvent = EventDraft & EventPlace;

/** The name of an event. */
export type EventType = CadreEvent['type'];

/** One kind of event. */
export type EventOf<Type extends EventType> = Extract<CadreEvent, { readonly type: Type }>;
