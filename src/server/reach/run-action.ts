import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { Delivery } from '../../core/inbox/inbox.ts';
import type { ProfileEdit } from '../../core/events/profile-edit.ts';
import type { ModuleAction } from '../../team/modules/module-actions.ts';
import type { PendingRequest } from '../../core/state/pending.ts';

/** What somebody outside does to a run: at a terminal, over HTTP, in whichever process. Plain data. */
export type RunAction =
  | {
      readonly kind: 'send';
      readonly text: string;
      readonly to?: string;
      readonly priority?: Delivery;
      /** An id for the item: what was sent under it already is not sent again. */
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

/** How a run stands once an action is on record. */
export interface ActionDone {
  readonly status: string;
  /** How the run ended, when it has. */
  readonly outcome?: string;
  /** What waits for a person now. */
  readonly pending: readonly PendingRequest[];
  /** The item a message became. */
  readonly itemId?: string;
}
