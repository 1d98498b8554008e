import type { ItemId, TurnId } from '../core/ids.ts';
import type { ByOption } from './input/read-by.ts';
import type { Delivery } from '../core/inbox/inbox.ts';

/** Recipient, priority and id of a message. */
export interface SendOptions extends ByOption {
  /** An agent id; the root agent when absent. */
  readonly to?: string;
  /**
   * `next` (default): read by the agent's next turn. `now`: interrupts its model call in flight, and wakes it when it
   * waits for other items; with calls open it is read when they have ended. `idle`: read when it has nothing else.
   */
  readonly priority?: Delivery;
  /**
   * Your own id for the item: a message sent again under it is not posted again, even by another process later on, as long as the turn that
   * read it is among the newest 128 of its agent. Letters, digits, `_`, `.` and `-`.
   */
  readonly itemId?: string;
  /** False refuses the message with REQUEST_REFUSED when the agent asks a person itself: there, it would let the agent go on. */
  readonly mayAnswer?: boolean;
}

/** What to cancel instead of the whole run, and the person who does. */
export interface CancelOptions extends ByOption {
  readonly agentId?: string;
  readonly moduleId?: string;
}

/** Receipt of `send`: the item's id, and a promise for its reading. */
export interface Receipt {
  readonly itemId: ItemId;
  /** Resolves with the turn that read the item; rejects when the item is dropped unread, or the run ends before. */
  readonly delivered: Promise<TurnId>;
}
