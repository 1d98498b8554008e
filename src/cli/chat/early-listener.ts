import type { CadreEvent } from '../../core/events/event.ts';
import type { AgentId, TurnId } from '../../core/ids.ts';
import type { ModelDelta } from '../../core/model/model.ts';
import type { RunSubscriber } from '../../engine/subscribers.ts';

/** Hears a run from its launch on, and keeps what it hears until somebody is there to be told. */
export class EarlyListener implements RunSubscriber {
  readonly #heard: ((to: RunSubscriber) => void)[] = [];
  #to: RunSubscriber | undefined;

  readonly onDelta = (agentId: AgentId, turnId: TurnId, delta: ModelDelta): void => {
    this.#hear((to) => to.onDelta?.(agentId, turnId, delta));
  };

  readonly onEvents = (events: readonly CadreEvent[]): void => {
    // How the run begins is what the user has just done.
    if (events[0]?.type !== 'run.start') this.#hear((to) => to.onEvents?.(events));
  };

  /** Tells what was heard so far, and from now on everything at once. */
  handTo(subscriber: RunSubscriber): void {
    for (const tell of this.#heard.splice(0)) tell(subscriber);
    this.#to = subscriber;
  }

  #hear(tell: (to: RunSubscriber) => void): void {
    if (this.#to === undefined) this.#heard.push(tell);
    else tell(this.#to);
  }
}
