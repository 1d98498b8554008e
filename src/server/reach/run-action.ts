import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { Delivery } from '../../core/inbox/inbox.ts';
import type { ProfileEdit } from '../../core/events/profile-edit.ts';
import type { ModuleAction } from '../../team/modules/module-actions.ts';
import type { ByOption } from '../../engine/input/read-by.ts';
import type { PendingRequest } from '../../core/state/pending.ts';

/** An action on a run from outside: from a terminal or over HTTP, in any process. Plain data. */
export type RunAction =
  | {
      readonly kind: 'send';
      readonly text: string;
      readonly to?: string;
      readonly priority?: Delivery;
      /** Id for the item: a message with an id that was sent before is not sent again. */
      readonly itemId?: string;
    }
  | {
      readonly kind: 'approve';
      readonly ids: readonly string[];
      readonly args?: JsonObject;
      readonly always?: boolean;
      readonly fingerprint?: string;
    }
  | { readonly kind: 'reject'; readonly ids: readonly string[]; readonly message?: string }
  | { readonly kind: 'answer'; readonly id: string; readonly value: JsonValue }
  | { readonly kind: 'note'; readonly title: string; readonly content: string; readonly agent?: string }
  | { readonly kind: 'cancel'; readonly reason?: string; readonly agentId?: string; readonly moduleId?: string }
  | { readonly kind: 'profiles'; readonly edits: readonly ProfileEdit[] }
  | { readonly kind: 'modules'; readonly actions: readonly ModuleAction[] };

/** The person who acts, and whether a message of theirs may let an agent go on that asks a person (yes, when absent). */
export interface ActorOption extends ByOption {
  readonly mayAnswer?: boolean;
}

/** An action with the person who acts, as one process leaves it for another: both belong to the same user of the machine. */
export type Letter = RunAction & ActorOption;

/** Status of a run once an action is in its journal. */
export interface ActionDone {
  readonly status: string;
  /** Outcome of the run, once it has ended. */
  readonly outcome?: string;
  /** Requests that wait for a person now. */
  readonly pending: readonly PendingRequest[];
  /** Item the message became. */
  readonly itemId?: string;
}
