import type { ErrorRecord } from '../../core/error.ts';
import type { AgentId, CallId, ContentHash, TurnId } from '../../core/ids.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { ModelOutcome } from '../../core/model/model.ts';
import type { PeopleNote } from '../../core/events/people-note.ts';
import type { ProfileChange } from '../../core/events/profile-edit.ts';
import type { ItemDraft } from '../../core/events/transaction.ts';
import type { Deadline } from '../../nodes/limits/deadlines.ts';
import type { AttemptQuestion, MadeAttempts } from '../../nodes/limits/further-attempt.ts';
import type { ToolOutcome } from '../../nodes/tools/tool-node.ts';
import type { ModuleAction } from '../../team/modules/module-actions.ts';
import type { Resumption } from '../recovery/recover.ts';
import type { OfferedTools, ToolsetHold } from '../toolsets/toolset-hold.ts';
import type { ToolsetChange } from '../toolsets/toolset-instance.ts';

/** Inputs of a run: everything that can happen to it from outside its own decisions. */
export type Input =
  | {
      readonly kind: 'start';
      readonly profile: string;
      readonly payload: JsonValue;
      readonly notes?: readonly PeopleNote[];
      /** The person on whose behalf; absent: the program. */
      readonly by?: string;
      /** Tools offered by toolsets that connect. */
      readonly tools: readonly OfferedTools[];
    }
  | {
      readonly kind: 'post';
      readonly to: AgentId;
      readonly item: ItemDraft;
      /** True when the sender chose the item's id: it is posted unless the run has it. */
      readonly isOnce?: boolean;
      /** False when its sender may not decide what the agent asks. */
      readonly mayAnswer?: boolean;
    }
  | { readonly kind: 'model'; readonly agentId: AgentId; readonly turnId: TurnId; readonly outcome: ModelOutcome }
  /** A model call asks for a further attempt. */
  | ({ readonly kind: 'attempt' } & AttemptQuestion)
  /** Attempts of a model call that its engine left. */
  | ({ readonly kind: 'charge' } & MadeAttempts)
  | { readonly kind: 'compaction'; readonly agentId: AgentId; readonly compactionId: string; readonly outcome: ModelOutcome }
  /** Outcome of the model call for the run's title. */
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
  /** The engine that ran an attempt of a call is gone. */
  | { readonly kind: 'lost'; readonly agentId: AgentId; readonly callId: CallId; readonly attempt: number }
  | {
      readonly kind: 'answer';
      /** Id of the asking that the person saw. */
      readonly asking: string;
      readonly verdict: 'approved' | 'rejected' | 'answered';
      readonly args?: JsonObject;
      readonly always?: boolean;
      /** Fingerprint that the sender names beside the id, which has it already. */
      readonly fingerprint?: string;
      readonly value?: JsonValue;
      readonly message?: string;
      /** The person on whose behalf; absent: the program. */
      readonly by?: string;
    }
  | {
      readonly kind: 'cancel';
      readonly agentId?: AgentId;
      readonly moduleId?: string;
      readonly reason: string;
      /** The person on whose behalf; absent: the program. */
      readonly by?: string;
    }
  | ({ readonly kind: 'recover' } & Resumption)
  /** Agents left over by a full decision: they may be able to go on. */
  | { readonly kind: 'settle'; readonly agentIds: readonly AgentId[] }
  /** Timers of the run have fired. */
  | { readonly kind: 'timer'; readonly deadlines: readonly Deadline[] }
  /** The wall clock has jumped. */
  | { readonly kind: 'clock'; readonly jumpMs: number }
  /** The tools of a toolset have changed, or it cannot be used. */
  | ({ readonly kind: 'toolset' } & ToolsetChange)
  /** A person writes, changes or deletes a note for agents. */
  | { readonly kind: 'keep_note'; readonly note: PeopleNote; readonly by?: string }
  /** Profiles are changed while the run goes on; `before` are those that the edit is based on. */
  | {
      readonly kind: 'profiles';
      /** Toolsets of the changed profiles, and their tools. */
      readonly hold: ToolsetHold;
      readonly tools: readonly OfferedTools[];
      readonly files: string;
      readonly changes: readonly ProfileChange[];
      readonly before: ContentHash;
      /** The person on whose behalf; absent: the program. */
      readonly by?: string;
    }
  /** A person changes the plan. */
  | { readonly kind: 'modules'; readonly actions: readonly ModuleAction[]; readonly by?: string }
  | { readonly kind: 'fail'; readonly error: ErrorRecord }
  | NoteInput;

/** A record without effect on the run. */
export interface NoteInput {
  readonly kind: 'note';
  readonly level: 'info' | 'warning' | 'error';
  readonly code: string;
  readonly message: string;
  /** Agent or turn that the note is about, if any. */
  readonly about?: { readonly agentId: AgentId; readonly turnId?: TurnId };
}
