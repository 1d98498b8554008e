import type { CadreEvent } from '../../core/events/event.ts';
import type { AgentId, TurnId } from '../../core/ids.ts';
import type { ModelDelta } from '../../core/model/model.ts';
import type { RunSubscriber } from '../../engine/subscribers.ts';

/** Buffers a run's events and deltas from its launch until a subscriber attaches. */
export class LaunchBuffer implements RunSubscriber {
  readonly #buffered: ((to: RunSubscriber) => void)[] = [];
  #to: RunSubscriber | undefined;

  readonly onDelta = (agentId: AgentId, turnId: TurnId, delta: ModelDelta): void => {
    this.#handle((to) => to.onDelta?.(agentId, turnId, delta));
  };

  readonly onEvents = (events: readonly CadreEvent[]): void => {
    // The start of the run is the user's own message.
    if (events[0]?.type !== 'run.start') this.#handle((to) => to.onEvents?.(events));
  };

  /** Replays the buffer to a subscriber, then forwards everything to it. */
  attach(subscriber: RunSubscriber): void {
    for (const deliver of this.#buffered.splice(0)) deliver(subscriber);
    this.#to = subscriber;
  }

  #handle(deliver: (to: RunSubscriber) => void): void {
    if (this.#to === undefined) this.#buffered.push(deliver);
    else deliver(this.#to);
  }
}
