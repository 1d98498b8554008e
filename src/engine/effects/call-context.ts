import type { AroundCall, CallAtWork } from '../../core/tool/around-call.ts';
import type { AgentId, CallId, ContentHash, RunId, TurnId } from '../../core/ids.ts';
import type { Scope } from '../../core/expression/expression.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ResourceScopes } from '../../core/tool/resource-scope.ts';
import { readOnlyView } from '../../core/read-only-view.ts';
import type { ToolContext } from '../../core/tool/tool.ts';
import type { LazyAbort } from './in-flight.ts';
import type { RunResources } from './run-resources.ts';
import { hash } from 'node:crypto';
import type { CallState } from '../../core/state/turn-state.ts';
import { AsyncLocalStorage } from 'node:async_hooks';

/** The call that a tool runs for: its identity, and the files, resources and outlets that it can reach. */
export interface CallLinks {
  readonly runId: RunId;
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly callId: CallId;
  readonly providerCallId: string;
  readonly attempt: number;
  /** Values handed to `engine.launch({ context })`. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly abort: LazyAbort;
  readonly progress: ToolContext['progress'];
  readonly workspace: () => string;
  readonly content: (hash: ContentHash) => string | undefined;
  readonly live: RunResources;
  /** Idempotency key of the request; computed when a tool asks for it. */
  readonly idempotencyKey: string;
  /** Roots of the views; built when a tool asks for one. */
  readonly scope: Scope;
}

/** Context of an effect tool's call. Its views and its signal are created on first access. */
export class CallContext implements ToolContext {
  // Declared, not defined: one is made per call.
  declare readonly runId: RunId;
  declare readonly agentId: AgentId;
  declare readonly turnId: TurnId;
  declare readonly toolCallId: CallId;
  declare readonly providerCallId: string;
  declare readonly attempt: number;
  declare readonly context: Readonly<Record<string, unknown>>;
  declare readonly progress: ToolContext['progress'];
  readonly #call: CallLinks;

  constructor(call: CallLinks) {
    this.runId = call.runId;
    this.agentId = call.agentId;
    this.turnId = call.turnId;
    this.toolCallId = call.callId;
    this.providerCallId = call.providerCallId;
    this.attempt = call.attempt;
    this.context = call.context;
    this.progress = call.progress;
    this.#call = call;
  }

  get idempotencyKey(): string {
    return this.#call.idempotencyKey;
  }

  get signal(): AbortSignal {
    return this.#call.abort.signal;
  }

  get workspace(): string {
    return this.#call.workspace();
  }

  get stored(): ToolContext['stored'] {
    const { content } = this.#call;
    return (hash) => content(hash as ContentHash);
  }

  get live(): ResourceScopes {
    return this.#call.live.scopesOf(this.agentId);
  }

  get agent(): JsonObject {
    return readOnlyView(this.#call.scope['state'] as JsonObject);
  }

  get request(): JsonObject {
    return readOnlyView(this.#call.scope['request'] as JsonObject);
  }

  get team(): JsonObject {
    return readOnlyView(this.#call.scope['team'] as JsonObject);
  }
}

/**
 * Returns the key under which a tool asks a service for one request: the run, the call, and 132 bits of a hash over the tool's name and its
 * arguments, since call ids count from 1 in every run. A tool that verifies a call uses the key of that call.
 */
export function idempotencyKey(runId: RunId, { callId, request, args }: CallState): string {
  const hashed = hash('sha256', JSON.stringify([request.name, args]), 'base64url').slice(0, 22);
  return `${runId}.${callId}.${hashed}`;
}

const nothing: JsonObject = Object.freeze({});
const requests = new AsyncLocalStorage<JsonObject>();

/**
 * Returns the request of the current run, as given to `engine.launch`, in any code that a tool, a function node or a model of the run
 * calls; empty outside of a run. Same as a tool's `context.request`, for code that has no context.
 */
export function currentRequest(): JsonObject {
  return requests.getStore() ?? nothing;
}

/** Runs work of a run, so that everything it starts sees exactly the run's request; a call also within what the engine puts around calls. */
export function withinRequest<T>(request: JsonObject, work: () => T, call?: CallAtWork, around?: AroundCall): T {
  const inner = around === undefined || call === undefined ? work : (): T => around(call, work);
  const current = requests.getStore();
  // Outside of a run the request is empty already: entering a context costs more than most calls do.
  const isEntered = current === request || (current === undefined && Object.keys(request).length === 0);
  return isEntered ? inner() : requests.run(request, inner);
}
