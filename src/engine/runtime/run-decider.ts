import { CadreError } from '../../core/error.ts';
import { applyEvent } from '../../core/fold/apply-event.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import type { Lease } from '../../core/events/journal.ts';
import type { DueWork } from '../../core/runtime.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { Input } from '../run/input.ts';
import type { ActorPorts } from '../run/actor-ports.ts';
import { RunActor } from '../run/run-actor.ts';
import { CollectedEffects } from './collected-effects.ts';
import { dueWorks } from './due-work.ts';

/** Events after which a run's profiles or tools have to be prepared again. */
const changesTools: ReadonlySet<CadreEvent['type']> = new Set(['profiles.update', 'run.resume', 'toolset.update']);

/** Reads the events that follow a state, folds each in after a call of `before`, and returns them. */
export async function readOn(
  state: RunContext,
  { journal }: Pick<ActorPorts, 'journal'>,
  before?: (event: CadreEvent) => void,
): Promise<readonly CadreEvent[]> {
  const events = await journal.read(state.meta.runId, { after: state.seq });
  // Two readers at once: the first has folded them in.
  const fresh = events.filter(({ seq }) => seq > state.seq);
  for (const event of fresh) {
    before?.(event);
    applyEvent(state, event);
  }
  return fresh;
}

/** True when events say that what was prepared of a run's profiles and tools is no longer right. */
export function changeTools(events: readonly CadreEvent[]): boolean {
  return events.some(({ type }) => changesTools.has(type));
}

/**
 * Decides the inputs of a run that engines of a runtime advance in turn, and collects what became due.
 *
 * 1. It decides on the newest state: what other engines wrote is read before (`catchUp`).
 * 2. When a commit fails, no part of its decision is left, and this object is of no use any more.
 */
export class RunDecider {
  readonly #actor: RunActor;
  readonly #effects: CollectedEffects;
  readonly #ports: ActorPorts;

  constructor(state: RunContext, lease: Lease, ports: ActorPorts) {
    const made: CollectedEffects[] = [];
    this.#ports = ports;
    this.#actor = new RunActor(
      state,
      lease,
      Object.create(ports, {
        effects: {
          value: (links: { readonly tell: (input: Input) => void }) => {
            const effects = new CollectedEffects({ clock: ports.clock, env: () => ports.decision.env }, links);
            made.push(effects);
            return effects;
          },
        },
      }) as ActorPorts,
    );
    const [effects] = made;
    if (effects === undefined) throw new CadreError('INTERNAL', 'the effects of a run are not collected');
    this.#effects = effects;
    effects.begin(state);
  }

  get state(): RunContext {
    return this.#actor.state;
  }

  /** Reads what other engines wrote; true when the profiles or tools of the run have changed by that. */
  async catchUp(): Promise<boolean> {
    const events = await readOn(this.state, this.#ports);
    if (events.length > 0) this.#effects.noteCommit(this.state, events);
    return changeTools(events);
  }

  /** Decides an input and commits it with its id. Throws the reason of a refusal; `hasFailed` tells when the commit failed instead. */
  async decide(input: Input, id?: string): Promise<void> {
    await this.#actor.submit(input, id);
    await this.#settled();
  }

  get hasFailed(): boolean {
    return this.#actor.halted !== undefined;
  }

  /** Lets every agent go on that may, and returns all works that are due. */
  async goOn(): Promise<readonly DueWork[]> {
    const agentIds = [...this.state.agents.values()].flatMap(({ meta, status }) => (status === 'ended' ? [] : [meta.agentId]));
    if (this.state.outcome !== undefined || agentIds.length === 0) return [];
    await this.decide({ kind: 'settle', agentIds });
    return [...this.#effects.take(), ...dueWorks(this.state, this.#ports.decision.env.catalog)];
  }

  /** Applies the deadlines that have come due. */
  async ring(): Promise<void> {
    this.#effects.ring();
    await this.#settled();
  }

  /** Takes the works that became due. */
  takeWorks(): readonly DueWork[] {
    return this.#effects.take();
  }

  /** Milliseconds until the next deadline; undefined when there is none. */
  get wakeInMs(): number | undefined {
    return this.#effects.wakeInMs;
  }

  async #settled(): Promise<void> {
    await this.#actor.whenIdle();
    if (this.#actor.halted !== undefined) throw this.#actor.halted;
  }
}
