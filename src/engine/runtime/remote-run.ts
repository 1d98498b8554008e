import { nanoid } from 'nanoid';
import { CadreError } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import type { AgentId } from '../../core/ids.ts';
import type { Delivery, RuntimeLink } from '../../core/runtime.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { Lease } from '../../core/events/journal.ts';
import type { UnwrittenEvents } from '../run/commit-batch.ts';
import { LiveReader } from '../live/live-reader.ts';
import type { Input } from '../run/input.ts';
import type { ActorPorts } from '../run/actor-ports.ts';
import { RunActor } from '../run/run-actor.ts';
import type { RunDriver } from '../run/run-driver.ts';
import { asStoreError, suspendedError } from '../run/run-errors.ts';
import { Subscribers } from '../subscribers.ts';
import { CollectedEffects } from './collected-effects.ts';
import { dueWorks } from './due-work.ts';
import { readOn } from './run-decider.ts';
import { encodeInput, lookInput } from './wire-input.ts';

/** Milliseconds between two looks at the journal, where notifications get lost. */
const lookAgainMs = 2_000;

/**
 * A run that engines elsewhere advance: its inputs go to a runtime, its events come from the journal.
 *
 * 1. An input counts as submitted once it was applied; its events are in `state` then.
 * 2. The start of a run is committed here, so that a launch needs no worker to be recorded; the runtime goes on from there.
 * 3. Leaving the run changes nothing for it.
 */
export class RemoteRun implements RunDriver {
  state: RunContext;
  halted: CadreError | undefined;
  readonly subscribers = new Subscribers(
    () => undefined,
    (isRead) => this.#readLive(isRead),
  );
  readonly #lease: Lease;
  readonly #ports: ActorPorts;
  readonly #link: RuntimeLink;
  readonly #idle = new Set<() => void>();
  #reading: Promise<void> | undefined;
  #isNewsWaiting = false;
  /** Live data of the engines at work, while it has readers here. */
  #live: LiveReader | undefined;
  #stopWatching: (() => void) | undefined;
  #cancelLook: (() => void) | undefined;
  /** Works that each cancel under way waits for. */
  readonly #cancels = new Set<Set<string>>();

  constructor(state: RunContext, lease: Lease, ports: ActorPorts, link: RuntimeLink) {
    this.state = state;
    this.#lease = lease;
    this.#ports = ports;
    this.#link = link;
    this.#stopWatching = ports.journal.watch?.(state.meta.runId, () => void this.#look());
    this.#lookLater();
  }

  get isOver(): boolean {
    return this.state.outcome !== undefined;
  }

  async begin(prefix: UnwrittenEvents, input: Input): Promise<void> {
    try {
      await this.#begin(prefix, input);
    } catch (thrown) {
      // There is no handle on it: it must not go on looking at the journal.
      this.#halt(asStoreError(this.state.meta.runId, thrown));
      throw thrown;
    }
  }

  async #begin(prefix: UnwrittenEvents, input: Input): Promise<void> {
    const ports = Object.create(this.#ports, {
      effects: {
        value: (links: { readonly tell: (input: Input) => void }) =>
          new CollectedEffects({ clock: this.#ports.clock, env: () => this.#ports.decision.env }, links),
      },
    }) as ActorPorts;
    const first = new RunActor(this.state, this.#lease, ports);
    await first.begin(prefix, input);
    await first.whenIdle();
    if (first.halted !== undefined) throw first.halted;
    this.state = first.state;
    await this.#link.send(this.state.meta.runId, { id: `begin ${this.state.meta.runId}`, input: lookInput });
  }

  async submit(input: Input): Promise<void> {
    if (this.halted !== undefined) throw this.halted;
    await this.#deliver({ id: nanoid(), input: encodeInput(input, this.#ports.decision.env.secrets) });
  }

  readonly tell = (input: Input): void => {
    // News of toolsets that are connected here do not concern other machines.
    if (input.kind !== 'toolset') void this.submit(input).catch(() => undefined);
  };

  async cancel(reason: string, what: { readonly agentId?: AgentId; readonly moduleId?: string } = {}): Promise<void> {
    const works = new Set<string>();
    this.#cancels.add(works);
    try {
      if (!this.isOver) await this.submit({ kind: 'cancel', reason, ...what });
    } finally {
      this.#cancels.delete(works);
    }
    // Of a part of the run, works of others go on.
    for (const { key } of dueWorks(this.state, this.#ports.decision.env.catalog)) works.delete(key);
    await this.#link.settled([...works], this.#ports.graceMs);
    await this.#look();
  }

  get isIdle(): boolean {
    return this.halted !== undefined || this.isOver || this.state.activity === 0;
  }

  async whenIdle(): Promise<void> {
    await this.#look();
    if (!this.isIdle) await new Promise<void>((resolve) => this.#idle.add(resolve));
  }

  whenDetachedSettled(): Promise<void> {
    return Promise.resolve();
  }

  async suspend(): Promise<void> {
    this.#halt(suspendedError(this.state.meta.runId));
    await this.#reading;
    await this.#ports.journal.release(this.#lease);
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const { refused } = await this.#link.submit(this.state.meta.runId, delivery);
    await this.#look();
    if (refused === undefined) return;
    const details = refused.details === undefined ? {} : { details: refused.details };
    throw new CadreError(refused.code, refused.message, details);
  }

  /** Reads what was written since the last look. Calls during a reading share the next one. */
  async #look(): Promise<void> {
    if (this.#reading !== undefined) {
      this.#isNewsWaiting = true;
      return await this.#reading;
    }
    this.#reading = this.#read().finally(() => (this.#reading = undefined));
    await this.#reading;
  }

  async #read(): Promise<void> {
    do {
      this.#isNewsWaiting = false;
      try {
        const events = await readOn(this.state, this.#ports, this.#beforeEvent);
        if (events.length > 0) {
          this.#live?.note(events);
          this.subscribers.publish(events);
        }
        this.#live?.release();
      } catch (thrown) {
        // A store that fails for a while is read again; the run itself is none the worse.
        if (!(thrown instanceof CadreError)) throw thrown;
      }
    } while (this.#isNewsWaiting);
    if (this.isOver || this.halted !== undefined) this.#stop();
    else this.#lookLater();
    this.#settleIdle();
  }

  #readLive(isRead: boolean): void {
    this.#live?.close();
    this.#live = undefined;
    const { live } = this.#ports.journal;
    if (!isRead || live === undefined || this.isOver || this.halted !== undefined) return;
    this.#live = new LiveReader(live, { runId: this.state.meta.runId, seq: () => this.state.seq, to: this.subscribers });
  }

  /** Collects for cancels under way what is at work when an agent ends: it may have begun after the last look. */
  readonly #beforeEvent = ({ type }: CadreEvent): void => {
    if (type !== 'agent.end' || this.#cancels.size === 0) return;
    const keys = dueWorks(this.state, this.#ports.decision.env.catalog).map(({ key }) => key);
    for (const works of this.#cancels) for (const key of keys) works.add(key);
  };

  #halt(error: CadreError): void {
    this.#stop();
    this.halted ??= error;
    this.subscribers.close(this.halted);
    this.#settleIdle();
  }

  #settleIdle(): void {
    if (!this.isIdle) return;
    for (const resolve of this.#idle) resolve();
    this.#idle.clear();
  }

  #lookLater(): void {
    this.#cancelLook?.();
    this.#cancelLook = this.#ports.clock.setTimer(
      lookAgainMs,
      () => void this.#look(),
      // A run at work keeps the process of its launcher alive; one that waits does not.
      { background: this.isIdle },
    );
  }

  #stop(): void {
    this.#stopWatching?.();
    this.#stopWatching = undefined;
    this.#readLive(false);
    this.#cancelLook?.();
  }
}
