import type { CadreEvent } from '../../core/events/event.ts';
import type { AgentId, TurnId } from '../../core/ids.ts';
import type { ModelDelta } from '../../core/model/model.ts';
import type { RunSubscriber } from '../../engine/subscribers.ts';

/** Buffers a run's events and deltas from its launch until a subscriber attaches. */
export class EarlyListener implements RunSubscriber {
  readonly #heard: ((to: RunSubscriber) => void)[] = [];
  #to: RunSubscriber | undefined;

  readonly onDelta = (agentId: AgentId, turnId: TurnId, delta: ModelDelta): void => {
    this.#hear((to) => to.onDelta?.(agentId, turnId, delta));
  };

  readonly onEvents = (events: readonly CadreEvent[]): void => {
    // The start of the run is the user's own message.
    if (events[0]?.type !== 'run.start') this.#hear((to) => to.onEvents?.(events));
  };

  /** Replays the buffer to a subscriber, then forwards everything to it. */
  handTo(subscriber: RunSubscriber): void {
    for (const tell of this.#heard.splice(0)) tell(subscriber);
    this.#to = subscriber;
  }

  #hear(tell: (to: RunSubscriber) => void): void {
    if (this.#to === undefined) this.#heard.push(tell);
    else tell(this.#to);
  }
}
