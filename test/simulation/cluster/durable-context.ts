import type { MessageService, Invocation } from './message-service.ts';

/** One step that the message service remembers of an invocation. */
export interface ServiceEntry {
  readonly name: string;
  readonly value: string;
}

/** Options of a message that a handler sends. */
interface SendOptions {
  readonly idempotencyKey?: string;
  readonly delay?: number;
}

/**
 * What a handler sees of the message service during one attempt: steps that an earlier attempt took are remembered and not taken again. Once
 * the service has given the attempt up, nothing it does counts any more.
 */
export class DurableContext {
  readonly #service: MessageService;
  readonly #invocation: Invocation;
  readonly #attempt: number;
  readonly #signal: AbortSignal;
  #position = 0;

  constructor(service: MessageService, invocation: Invocation, signal: AbortSignal) {
    this.#service = service;
    this.#invocation = invocation;
    this.#attempt = invocation.attempt;
    this.#signal = signal;
  }

  get key(): string {
    return this.#invocation.message.key ?? '';
  }

  get isCurrent(): boolean {
    return this.#invocation.attempt === this.#attempt;
  }

  request(): { readonly attemptCompletedSignal: AbortSignal } {
    return { attemptCompletedSignal: this.#signal };
  }

  async run(name: string, work: () => Promise<unknown>): Promise<unknown> {
    const position = this.#position++;
    const known = this.#known(position, `run ${name}`);
    if (known !== undefined) return JSON.parse(known);
    const value = JSON.stringify((await work()) ?? null);
    await this.#service.step(this.#invocation, this);
    this.#invocation.entries[position] = { name: `run ${name}`, value };
    return JSON.parse(value);
  }

  get(name: string): Promise<unknown> {
    const value = this.#entry(`get ${name}`, () => this.#service.stateOf(this.#invocation).get(name) ?? 'null');
    return value === undefined ? new Promise(() => undefined) : Promise.resolve(JSON.parse(value));
  }

  set(name: string, value: unknown): void {
    this.#entry(`set ${name}`, () => {
      this.#service.stateOf(this.#invocation).set(name, JSON.stringify(value));
      return '';
    });
  }

  clear(name: string): void {
    this.#entry(`clear ${name}`, () => {
      this.#service.stateOf(this.#invocation).delete(name);
      return '';
    });
  }

  serviceSendClient({ name }: { readonly name: string }): unknown {
    return {
      perform: (param: unknown, options?: SendOptions) => this.#send({ service: name, handler: 'perform' }, param, options),
    };
  }

  objectSendClient({ name }: { readonly name: string }, key: string): unknown {
    const to = (handler: string) => (param: unknown, options?: SendOptions) =>
      this.#send({ service: name, handler, key }, param, options);
    return { apply: to('apply'), wake: to('wake') };
  }

  #send(
    to: { readonly service: string; readonly handler: string; readonly key?: string },
    param: unknown,
    { idempotencyKey, delay = 0 }: SendOptions = {},
  ): void {
    this.#entry(`send ${to.handler} ${idempotencyKey ?? ''}`, () => {
      const name = idempotencyKey === undefined ? {} : { idempotencyKey };
      this.#service.post({ ...to, ...name, param: JSON.stringify(param) }, delay);
      return '';
    });
  }

  /** Takes a step that needs no waiting, unless it was taken before; undefined when it counts no more. */
  #entry(name: string, take: () => string): string | undefined {
    const position = this.#position++;
    const known = this.#known(position, name);
    if (known !== undefined) return known;
    if (!this.#service.mayStep(this.#invocation, this)) return undefined;
    const value = take();
    this.#invocation.entries[position] = { name, value };
    return value;
  }

  /** Returns what the step at this place gave in an earlier attempt. */
  #known(position: number, name: string): string | undefined {
    if (!this.isCurrent) return undefined;
    const entry = this.#invocation.entries[position];
    if (entry !== undefined && entry.name !== name)
      this.#service.violated(`a handler that is tried again takes another way: '${name}' instead of '${entry.name}'`);
    return entry?.value;
  }
}
