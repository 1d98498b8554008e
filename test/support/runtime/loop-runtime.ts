import type { SharedJournal } from '../../../src/core/events/journal.ts';
import type { RunId } from '../../../src/core/ids.ts';
import type { Applied, Delivery, DueWork, Runtime, RuntimeHost, RuntimeLink, RuntimeWorker } from '../../../src/core/runtime.ts';
import type { Clock } from '../../../src/core/clock.ts';

/** What a loop runtime does wrong, as a real one may. */
export interface LoopFaults {
  /** Loses the answer of an apply whose decision was committed, so that the input is delivered again. */
  readonly losesAnswer?: (delivery: Delivery) => boolean;
  /** Delivers an input twice. */
  readonly repeats?: (delivery: Delivery) => boolean;
  /** Forgets the engine that runs a work, and sends the work to another one. */
  readonly forgetsWorker?: (work: DueWork) => boolean;
}

/**
 * A runtime inside the test process, with the same protocol as a real one: inputs and works travel as JSON, go to any of the engines that
 * serve, and are sent again until they are done.
 */
export class LoopRuntime implements Runtime {
  readonly location = 'loop';
  readonly name = 'loop';
  readonly #clock: Clock;
  readonly #faults: LoopFaults;
  #hosts: RuntimeHost[] = [];
  #died = Promise.withResolvers<never>();
  readonly #queues = new Map<RunId, Promise<unknown>>();
  readonly #sent = new Map<string, Promise<void>>();
  readonly #alarms = new Map<RunId, () => void>();
  #next = 0;
  /** Ids of the inputs that were delivered, and keys of the works that were sent, with repetitions. */
  readonly delivered: string[] = [];
  readonly works: string[] = [];

  constructor(clock: Clock, faults: LoopFaults = {}) {
    this.#died.promise.catch(() => undefined);
    this.#clock = clock;
    this.#faults = faults;
  }

  connect(_journal: SharedJournal): Promise<RuntimeLink> {
    return Promise.resolve({
      submit: (runId, delivery) => this.#submit(runId, delivery),
      send: (runId, delivery) => {
        void this.#submit(runId, delivery).catch(() => undefined);
        return Promise.resolve();
      },
      settled: async (keys) => {
        await Promise.all(keys.map((key) => this.#sent.get(key)));
      },
      serve: (host) => Promise.resolve(this.#serve(host)),
    });
  }

  /** Forgets all engines that serve, as when their processes are killed: what they had is sent to others. */
  forgetWorkers(): void {
    this.#hosts = [];
    const { reject } = this.#died;
    this.#died = Promise.withResolvers<never>();
    this.#died.promise.catch(() => undefined);
    reject(new Error('the worker was killed'));
  }

  #serve(host: RuntimeHost): RuntimeWorker {
    this.#hosts.push(host);
    return {
      address: 'loop',
      close: () => {
        this.#hosts = this.#hosts.filter((each) => each !== host);
        return Promise.resolve();
      },
    };
  }

  async #submit(runId: RunId, delivery: Delivery): Promise<Pick<Applied, 'refused'>> {
    if (this.#faults.repeats?.(delivery) === true) void this.#deliver(runId, delivery);
    return await this.#deliver(runId, delivery);
  }

  #deliver(runId: RunId, delivery: Delivery): Promise<Applied> {
    return this.#inTurn(runId, async () => {
      this.delivered.push(delivery.id);
      let isLost = this.#faults.losesAnswer?.(delivery) === true;
      return await this.#untilDone(async (host) => {
        const applied = await host.apply(runId, copy(delivery));
        if (isLost) {
          isLost = false;
          throw new Error('the answer was lost');
        }
        return applied;
      });
    });
  }

  /** Applies one input of a run after the other, and sends what follows. */
  #inTurn(runId: RunId, work: () => Promise<Applied>): Promise<Applied> {
    const before = this.#queues.get(runId) ?? Promise.resolve();
    const turn = before.then(work).then((applied) => {
      for (const due of applied.works) this.#send(runId, due);
      this.#alarms.get(runId)?.();
      if (applied.wakeInMs !== undefined)
        this.#alarms.set(
          runId,
          this.#clock.setTimer(applied.wakeInMs, () => {
            void this.#inTurn(runId, () => this.#untilDone((host) => host.wake(runId))).catch(() => undefined);
          }),
        );
      return applied;
    });
    this.#queues.set(
      runId,
      turn.catch(() => undefined),
    );
    return turn;
  }

  #send(runId: RunId, work: DueWork): void {
    this.works.push(work.key);
    // The same key is the same work.
    if (this.#sent.has(work.key)) return;
    const { signal } = new AbortController();
    const isForgotten = this.#faults.forgetsWorker?.(work) === true;
    const performed = (async () => {
      if (isForgotten) void this.#untilDone((host) => host.perform(runId, copy(work), signal)).catch(() => undefined);
      if (isForgotten) await new Promise((resolve) => setImmediate(resolve));
      const deliveries = await this.#untilDone((host) => host.perform(runId, copy(work), signal));
      for (const delivery of deliveries) await this.#submit(runId, delivery);
    })();
    this.#sent.set(
      work.key,
      performed.catch(() => undefined),
    );
  }

  async #untilDone<T>(work: (host: RuntimeHost) => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      const host = this.#hosts[this.#next++ % Math.max(1, this.#hosts.length)];
      try {
        if (host === undefined) throw new Error('no engine serves the runtime');
        return await Promise.race([work(host), this.#died.promise]);
      } catch (thrown) {
        if (attempt > 100) throw thrown;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
  }
}

function copy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
