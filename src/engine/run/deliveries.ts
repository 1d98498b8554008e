import { CadreError } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import type { ItemId, TurnId } from '../../core/ids.ts';
import type { RunDriver } from './run-driver.ts';

interface Waiter {
  readonly delivered: Promise<TurnId>;
  readonly resolve: (turnId: TurnId) => void;
  readonly reject: (error: Error) => void;
  /** True when its ingestor failed in the turn that begins now: the model sees a note instead of the item. */
  failed: boolean;
}

/** Notifies senders when their items are read: one look at each event, however many wait. */
export class Deliveries {
  readonly #actor: RunDriver;
  readonly #waiting = new Map<ItemId, Waiter>();
  #stop: (() => void) | undefined;

  constructor(actor: RunDriver) {
    this.#actor = actor;
  }

  /** Resolves with the turn that reads the item; rejects when the item is dropped unread, or the run ends or halts before. */
  of(itemId: ItemId): Promise<TurnId> {
    const waiting = this.#waiting.get(itemId);
    if (waiting !== undefined) return waiting.delivered;
    const { promise: delivered, resolve, reject } = Promise.withResolvers<TurnId>();
    this.#waiting.set(itemId, { delivered, resolve, reject, failed: false });
    // Senders may ignore the result.
    delivered.catch(() => undefined);
    this.#stop ??= this.#actor.subscribers.add({
      onEvents: (events) => {
        for (const event of events) this.#see(event);
      },
      onHalt: (error) => this.#rejectAll(error),
    });
    return delivered;
  }

  /** Forgets an item that was never posted. */
  forget(itemId: ItemId): void {
    this.#waiting.delete(itemId);
    this.#rest();
  }

  #see(event: CadreEvent): void {
    switch (event.type) {
      case 'turn.start':
        for (const { itemId } of event.inputs) this.#read(itemId, event.turnId);
        break;
      case 'inbox.fail': {
        const waiter = this.#waiting.get(event.itemId);
        if (waiter !== undefined) waiter.failed = true;
        break;
      }
      case 'inbox.drop':
        this.#take(event.itemId)?.reject(
          new CadreError('ITEM_POISONED', `item ${event.itemId} was dropped before it was read (${event.reason})`),
        );
        break;
      case 'run.end':
        this.#rejectAll(new CadreError('RUN_ENDED', `run ${event.runId} ended before the item was read`));
        break;
      default:
    }
  }

  #read(itemId: ItemId, turnId: TurnId): void {
    const waiter = this.#waiting.get(itemId);
    if (waiter?.failed === true) waiter.failed = false;
    else if (waiter !== undefined) this.#take(itemId)?.resolve(turnId);
  }

  #take(itemId: ItemId): Waiter | undefined {
    const waiter = this.#waiting.get(itemId);
    this.#waiting.delete(itemId);
    this.#rest();
    return waiter;
  }

  #rejectAll(error: Error): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#rest();
    for (const { reject } of waiting) reject(error);
  }

  #rest(): void {
    if (this.#waiting.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }
}
