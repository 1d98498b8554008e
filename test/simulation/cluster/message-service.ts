import type { Delivery, RuntimeHost, RuntimeLink, RuntimeWorker } from '../../../src/core/runtime.ts';
import type { RunId } from '../../../src/core/ids.ts';
import { restateServices, serviceNames } from '../../../src/restate/restate-services.ts';
import { DurableContext, type ServiceEntry } from './durable-context.ts';
import type { ClusterFaultKind } from './cluster-faults.ts';
import type { ClusterWorld } from './cluster-world.ts';
import { attempting } from './given-up-attempt.ts';
import type { SimProcess } from './sim-process.ts';

/** A call of a handler on its way: by the same idempotency key it is the same call. */
export interface Message {
  readonly service: string;
  readonly handler: string;
  /** Key of a virtual object: its calls are handled one at a time. */
  readonly key?: string;
  readonly idempotencyKey?: string;
  readonly param: string;
}

/** A call that the service has taken: it is tried until it is done. */
export interface Invocation {
  readonly message: Message;
  readonly entries: ServiceEntry[];
  readonly result: PromiseWithResolvers<string>;
  /** Number of the attempt under way; what an earlier one does counts no more. */
  attempt: number;
  process: SimProcess | undefined;
  abort: AbortController;
  isDone: boolean;
}

type Handler = (context: DurableContext, param: unknown) => Promise<unknown>;

const names = serviceNames('sim');
/** Attempts after which something is wrong with the protocol itself. */
const mostAttempts = 300;

/** The part of the SDK that the services are made with. */
const sdk = {
  object: (definition: unknown) => definition,
  service: (definition: unknown) => definition,
  rpc: { sendOpts: (options: unknown) => options },
} as unknown as Parameters<typeof restateServices>[0];

/**
 * A double of Restate in this process: virtual objects, durable steps, delayed messages and idempotency keys as the services of
 * `src/restate` use them, in any order that a real one allows, with attempts that are lost, repeated and overtaken.
 */
export class MessageService {
  readonly #world: ClusterWorld;
  readonly #workers = new Map<SimProcess, ReadonlyMap<string, Handler>>();
  readonly #known = new Map<string, Invocation>();
  readonly #queues = new Map<string, Invocation[]>();
  readonly #states = new Map<string, Map<string, string>>();
  readonly #open = new Set<Invocation>();
  /** Messages that are on their way and not delayed, by what they are about. */
  readonly #flying = new Set<Message>();
  /** Keys of works of which an attempt was lost or failed: their calls may have an unknown outcome. */
  readonly shaken = new Set<string>();

  constructor(world: ClusterWorld) {
    this.#world = world;
  }

  /** Connects a process. */
  link(process: SimProcess): RuntimeLink {
    const apply = (runId: RunId, delivery: Delivery): Message => ({
      service: names.runs,
      handler: 'apply',
      key: runId,
      idempotencyKey: delivery.id,
      param: JSON.stringify(delivery),
    });
    return {
      submit: async (runId, delivery) =>
        JSON.parse(await this.#request(process, apply(runId, delivery), ({ result }) => result.promise)) as object,
      send: async (runId, delivery) => {
        await this.#request(process, apply(runId, delivery), () => undefined);
      },
      settled: async (keys, ms) => {
        const works = keys.flatMap((key) => this.#known.get(nameOf({ service: names.effects, handler: 'perform' }, key)) ?? []);
        const late = new Promise<void>((resolve) => void process.clock.setTimer(ms, resolve));
        await Promise.race([Promise.all(works.map(({ result }) => result.promise)), late]);
      },
      serve: (host) => Promise.resolve(this.#serve(process, host)),
    };
  }

  /** True when something that concerns a run is on its way or under way; delayed messages do not count. */
  isBusyWith(runId: RunId): boolean {
    const concerns = ({ key, param }: Message): boolean =>
      key === runId || (key === undefined && (JSON.parse(param) as { readonly runId: string }).runId === runId);
    return [...this.#flying].some(concerns) || [...this.#open].some(({ message }) => concerns(message));
  }

  /** Sends a message, after `delayMs`. */
  post(message: Message, delayMs: number): void {
    if (delayMs > 0) {
      this.#world.time.clockOf(0).setTimer(delayMs, () => this.accept(message));
      return;
    }
    this.#flying.add(message);
    this.#world.scheduler.add(0, `message ${message.handler}`, () => {
      this.#flying.delete(message);
      const { handler, idempotencyKey } = message;
      const isDoubled = handler === 'apply' && idempotencyKey !== undefined && this.#world.faults.strikes('message doubled', 0.1);
      this.accept(message);
      if (isDoubled) this.#take(message);
    });
  }

  /** Takes a message, unless it was taken before. */
  accept(message: Message): Invocation {
    const name = message.idempotencyKey === undefined ? undefined : nameOf(message, message.idempotencyKey);
    const known = name === undefined ? undefined : this.#known.get(name);
    if (known !== undefined) return known;
    const taken = this.#take(message);
    if (name !== undefined) this.#known.set(name, taken);
    return taken;
  }

  /** Gives up the attempts of a process: they are made again, by any. */
  giveUp(process: SimProcess): void {
    for (const invocation of this.#open) if (invocation.process === process) this.#again(invocation, 0);
  }

  /** Forgets who does what. */
  restart(): void {
    for (const invocation of this.#open) if (invocation.process !== undefined) this.#again(invocation, 0);
  }

  /** A process takes no work any more. */
  forget(process: SimProcess): void {
    this.#workers.delete(process);
  }

  /** Returns the state of the virtual object of an invocation. */
  stateOf({ message: { service, key = '' } }: Invocation): Map<string, string> {
    const name = `${service}/${key}`;
    const state = this.#states.get(name) ?? new Map<string, string>();
    this.#states.set(name, state);
    return state;
  }

  /** Resolves when a step of an attempt is remembered; never when the attempt is given up before. */
  async step(invocation: Invocation, context: DurableContext): Promise<void> {
    const { process } = invocation;
    if (process === undefined || !this.mayStep(invocation, context)) return await never();
    await this.#world.turn(process, 'step');
    if (context.isCurrent && this.#world.faults.strikes('answer lost', 0.06)) this.#again(invocation, 0);
    if (!context.isCurrent || this.#world.moment(process) || !context.isCurrent) return await never();
  }

  /** True when an attempt may take a step now; its process may die just before. */
  mayStep({ process }: Invocation, context: DurableContext): boolean {
    return context.isCurrent && process !== undefined && !this.#world.moment(process) && context.isCurrent;
  }

  violated(message: string): void {
    this.#world.violated(message);
  }

  #serve(process: SimProcess, host: RuntimeHost): RuntimeWorker {
    const services = restateServices(sdk, names, host, () => process.clock.now()) as unknown as readonly {
      readonly name: string;
      readonly handlers: Readonly<Record<string, Handler>>;
    }[];
    const handlers = services.flatMap(({ name, handlers: own }) =>
      Object.entries(own).map(([handler, run]) => [`${name}/${handler}`, run] as const),
    );
    this.#workers.set(process, new Map(handlers));
    return {
      address: 'simulated',
      close: () => {
        this.forget(process);
        return Promise.resolve();
      },
    };
  }

  /** Makes a request until it is answered, as a client does that waits for the service. */
  async #request<T>(process: SimProcess, message: Message, answer: (taken: Invocation) => Promise<T> | T): Promise<T> {
    const { faults } = this.#world;
    for (;;) {
      await this.#world.turn(process, 'request');
      if (faults.strikes('request lost', 0.1)) continue;
      const answered = await answer(this.accept(message));
      await this.#world.turn(process, 'reply');
      if (!faults.strikes('reply lost', 0.1)) return answered;
    }
  }

  #take(message: Message): Invocation {
    const invocation: Invocation = {
      message,
      entries: [],
      result: Promise.withResolvers(),
      attempt: 0,
      process: undefined,
      abort: new AbortController(),
      isDone: false,
    };
    this.#open.add(invocation);
    const { service, key } = message;
    const queue = key === undefined ? [] : (this.#queues.get(`${service}/${key}`) ?? []);
    queue.push(invocation);
    if (key !== undefined) this.#queues.set(`${service}/${key}`, queue);
    if (queue[0] === invocation) this.#startLater(invocation);
    return invocation;
  }

  #startLater(invocation: Invocation): void {
    const { attempt } = invocation;
    this.#world.scheduler.add(0, `start ${invocation.message.handler}`, () => {
      if (invocation.attempt === attempt) this.#start(invocation);
    });
  }

  #start(invocation: Invocation): void {
    const workers = [...this.#workers.keys()];
    if (workers.length === 0) {
      this.#world.time.clockOf(0).setTimer(200, () => this.#startLater(invocation));
      return;
    }
    const process = this.#world.order.pick(workers);
    invocation.attempt += 1;
    invocation.process = process;
    invocation.abort = new AbortController();
    if (invocation.attempt > mostAttempts) this.violated(`an attempt at ${invocation.message.handler} fails again and again`);
    const { attempt } = invocation;
    this.#world.scheduler.add(process.id, invocation.message.handler, () => {
      if (invocation.attempt === attempt) void this.#attempt(invocation, process);
    });
  }

  async #attempt(invocation: Invocation, process: SimProcess): Promise<void> {
    const { message, abort } = invocation;
    const context = new DurableContext(this, invocation, abort.signal);
    const handle = this.#workers.get(process)?.get(`${message.service}/${message.handler}`);
    try {
      if (handle === undefined) throw new Error('the worker has left');
      const made = (): Promise<unknown> => handle(context, JSON.parse(message.param));
      const isInput = message.handler === 'apply';
      const value = JSON.stringify(
        (await (isInput ? attempting(() => this.#hold(invocation, context, process), made) : made())) ?? null,
      );
      await this.step(invocation, context);
      this.#finish(invocation, value);
    } catch (thrown) {
      if (!context.isCurrent || process.state === 'dead') return;
      process.failures.push(thrown);
      this.#again(invocation, Math.min(50 * 2 ** invocation.attempt, 1_000));
    }
  }

  /** Gives an attempt at an input up, while its process goes on with it some time later. */
  async #hold(invocation: Invocation, context: DurableContext, process: SimProcess): Promise<void> {
    const { faults, order } = this.#world;
    const { input } = JSON.parse(invocation.message.param) as Delivery;
    const isRare = input['kind'] === 'lost' || input['kind'] === 'verify';
    const rate = isRare ? 0.5 : 0.03;
    if (!context.isCurrent || !faults.strikes(`attempt at '${String(input['kind'])}' goes on` as ClusterFaultKind, rate)) return;
    this.#again(invocation, 0);
    for (let turns = order.int(30); turns > 0; turns -= 1) await this.#world.turn(process, 'given up');
  }

  #finish(invocation: Invocation, value: string): void {
    const { service, key } = invocation.message;
    invocation.isDone = true;
    invocation.process = undefined;
    this.#open.delete(invocation);
    invocation.result.resolve(value);
    if (key === undefined) return;
    const queue = this.#queues.get(`${service}/${key}`) ?? [];
    queue.shift();
    const [next] = queue;
    if (next !== undefined) this.#startLater(next);
  }

  /** Begins an attempt anew, and tells the process that had it, if that is still there to hear it. */
  #again(invocation: Invocation, afterMs: number): void {
    const { process, abort, message } = invocation;
    invocation.attempt += 1;
    invocation.process = undefined;
    if (process !== undefined) this.#world.scheduler.add(process.id, 'given up', () => abort.abort(new Error('given up')));
    if (message.key === undefined) this.shaken.add((JSON.parse(message.param) as { work: { key: string } }).work.key);
    if (afterMs === 0) this.#startLater(invocation);
    else this.#world.time.clockOf(0).setTimer(afterMs, () => this.#startLater(invocation));
  }
}

function nameOf({ service, handler, key = '' }: Pick<Message, 'service' | 'handler' | 'key'>, idempotencyKey: string): string {
  return JSON.stringify([service, handler, key, idempotencyKey]);
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
