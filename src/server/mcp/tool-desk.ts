import type { CadreEvent } from '../../core/events/event.ts';
import { CadreError } from '../../core/error.ts';
import type { CallId } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ToolEnd } from '../../core/events/tool-events.ts';
import type { LaunchOptions } from '../../engine/launch-options.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Run } from '../../engine/run.ts';
import { newsOf } from './wait-for-run.ts';

/** Scripted model that makes the calls of a client. */
export interface ClientCalls {
  readonly offered: readonly { readonly name: string; readonly description: string; readonly inputSchema: JsonObject }[];
  order(toolName: string, args: JsonObject): string;
  withdraw(id: string): boolean;
}

/** Options of a tool desk. */
export interface ToolDeskOptions {
  readonly engine: Engine;
  readonly client: ClientCalls;
  readonly profile: string;
  /** Launch options that name the LLM config `client` answers for. */
  readonly launch: LaunchOptions;
}

/** Result of a call. */
export type CallEnd = Pick<ToolEnd, 'status' | 'content'>;

/** Signal that cancels a call, and receiver of its progress messages. */
export interface CallOptions {
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
}

interface Waiting {
  readonly answer: PromiseWithResolvers<CallEnd>;
  readonly progress: (message: string) => void;
}

/**
 * Tools of one profile, called by a client. All calls of a client belong to one agent in one run, so that sessions, browsers and edits
 * persist from call to call, gates and limits apply, and the journal has everything. When that run ends, the next call starts another.
 */
export class ToolDesk {
  readonly #options: ToolDeskOptions;
  #run: Promise<Run> | undefined;
  /** Waiting calls by the ids of their orders. */
  readonly #waiting = new Map<string, Waiting>();
  /** Orders of the calls in progress. */
  readonly #calls = new Map<CallId, string>();

  constructor(options: ToolDeskOptions) {
    this.#options = options;
  }

  /** Returns the current tools. */
  async list(): Promise<ClientCalls['offered']> {
    await this.#ready();
    return this.#options.client.offered;
  }

  /** Makes a call and waits for its result. A call cancelled before it starts is not made; a running one ends with its run. */
  async call(name: string, args: JsonObject, { signal, progress }: CallOptions): Promise<CallEnd> {
    const { client } = this.#options;
    const run = await this.#ready();
    const offered = client.offered.map((tool) => tool.name);
    if (!offered.includes(name))
      throw new CadreError('TOOL_UNKNOWN', `there is no tool '${name.slice(0, 100)}'; there are ${offered.join(', ')}`);
    signal.throwIfAborted();
    const id = client.order(name, args);
    const answer = Promise.withResolvers<CallEnd>();
    // If the run ends during `send`, that is the error, and this promise has no reader.
    answer.promise.catch(() => undefined);
    this.#waiting.set(id, { answer, progress });
    const cancel = (): void => this.#cancel(id, run);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      await run.send(`The client calls ${name}.`);
      return await answer.promise;
    } finally {
      signal.removeEventListener('abort', cancel);
      this.#waiting.delete(id);
      // The client was told that the call failed, so no run may make it later.
      client.withdraw(id);
    }
  }

  /** Ends the run and everything its calls started, since the client has disconnected. */
  async close(): Promise<void> {
    const run = await this.#run;
    if (run?.state.outcome === undefined) await run?.cancel('the client has disconnected');
  }

  /** Returns the run that makes the calls, once its agent knows its tools. */
  async #ready(): Promise<Run> {
    const run = await this.#open();
    if (this.#waiting.size === 0) await run.settled();
    if (run.state.outcome === undefined) return run;
    // The run ended by a limit between calls. A new one that ends before the first call would never wait.
    const next = await this.#open();
    if (next !== run) await next.settled();
    if (next.state.outcome === undefined) return next;
    const message = `runs of profile ${this.#options.profile} end without calls; its flow_decider must choose await_user_input for replies without calls`;
    throw new CadreError('OPTION_INVALID', message);
  }

  #open(): Promise<Run> {
    this.#run ??= this.#launch().catch((thrown: unknown) => {
      this.#run = undefined;
      throw thrown;
    });
    return this.#run;
  }

  async #launch(): Promise<Run> {
    const { engine, profile, launch } = this.#options;
    const run = await engine.launch(
      { profile, input: 'A client calls the tools of this profile over MCP.', title: `tools of ${profile}` },
      launch,
    );
    run.subscribe({
      onEvents: (events) => {
        for (const event of events) this.#onEvent(run, event);
      },
      onHalt: (error) => this.#endRun(error),
    });
    return run;
  }

  #onEvent(run: Run, event: CadreEvent): void {
    if (event.type === 'model.end')
      for (const { callId, providerCallId } of event.reply?.toolCalls ?? [])
        if (providerCallId !== undefined) this.#calls.set(callId, providerCallId);
    if (event.type === 'tool.end') {
      const id = this.#calls.get(event.callId) ?? '';
      this.#calls.delete(event.callId);
      this.#waiting.get(id)?.answer.resolve({ status: event.status, content: event.content });
    }
    if (event.type === 'run.end')
      this.#endRun(new CadreError('RUN_ENDED', `the run that made the calls has ended (${event.outcome})`));
    const news = event.type === 'tool.suspend' ? waitingText(run, event.callId) : newsOf(event);
    if (news !== undefined) for (const { progress } of this.#waiting.values()) progress(news);
  }

  #endRun(error: Error): void {
    this.#run = undefined;
    this.#calls.clear();
    for (const { answer } of this.#waiting.values()) answer.reject(error);
  }

  #cancel(id: string, run: Run): void {
    const waiting = this.#waiting.get(id);
    waiting?.answer.reject(new CadreError('RUN_ENDED', 'the client has cancelled this call'));
    if (this.#options.client.withdraw(id)) return;
    // A running call blocks all that follow; ending its run ends it with everything it started. Other waiting calls keep their run, and
    // an approval request is rejected so that it does not block them.
    const reason = 'the client has cancelled the call';
    const asked = run.pending.find(({ callId, kind }) => kind === 'approval' && this.#calls.get(callId as CallId) === id);
    // The client has its answer already; if the store fails here, the run ends and the next caller gets the error.
    if (this.#waiting.size <= 1) run.cancel(reason).catch(() => undefined);
    else if (asked !== undefined) run.reject(asked.id, { message: reason }).catch(() => undefined);
  }
}

/** Describes a call that waits for a person; undefined for one that waits for agents. */
function waitingText(run: Run, callId: CallId): string | undefined {
  const asked = run.pending.find((request) => request.callId === callId);
  if (asked === undefined) return undefined;
  return `${asked.tool} waits for a person: cadre ${asked.kind === 'approval' ? 'approve' : 'answer'} ${run.id} ${asked.id}`;
}
