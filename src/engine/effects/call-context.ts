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

/** Identifies the call a tool runs for. */
export type CallIdentity = Pick<ToolContext, 'runId' | 'agentId' | 'turnId' | 'toolCallId' | 'providerCallId' | 'attempt'>;

/** Files, resources and outlets that a call can reach. */
export interface CallLinks {
  readonly scope: Scope;
  readonly context: Readonly<Record<string, unknown>>;
  readonly abort: LazyAbort;
  readonly progress: ToolContext['progress'];
  readonly workspace: () => string;
  readonly content: (hash: ContentHash) => string | undefined;
  readonly live: RunResources;
  /** Returns the idempotency key of the request; computed when a tool asks for it. */
  readonly idempotencyKey: () => string;
}

/** Context of an effect tool's call. Its views and its signal are created on first access. */
export class CallContext implements ToolContext {
  readonly runId: RunId;
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly toolCallId: CallId;
  readonly providerCallId: string;
  readonly attempt: number;
  readonly context: Readonly<Record<string, unknown>>;
  readonly progress: ToolContext['progress'];
  readonly #links: CallLinks;

  constructor(identity: CallIdentity, links: CallLinks) {
    this.runId = identity.runId;
    this.agentId = identity.agentId;
    this.turnId = identity.turnId;
    this.toolCallId = identity.toolCallId;
    this.providerCallId = identity.providerCallId;
    this.attempt = identity.attempt;
    this.context = links.context;
    this.progress = links.progress;
    this.#links = links;
  }

  get idempotencyKey(): string {
    return this.#links.idempotencyKey();
  }

  get signal(): AbortSignal {
    return this.#links.abort.signal;
  }

  get workspace(): string {
    return this.#links.workspace();
  }

  get stored(): ToolContext['stored'] {
    const { content } = this.#links;
    return (hash) => content(hash as ContentHash);
  }

  get live(): ResourceScopes {
    return this.#links.live.scopesOf(this.agentId);
  }

  get agent(): JsonObject {
    return readOnlyView(this.#links.scope['state'] as JsonObject);
  }

  get request(): JsonObject {
    return readOnlyView(this.#links.scope['request'] as JsonObject);
  }

  get team(): JsonObject {
    return readOnlyView(this.#links.scope['team'] as JsonObject);
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

/** Runs a call of a run: within its request, and what the engine puts around calls. */
export function withinCall<T>(
  around: AroundCall | undefined,
  { request, ...call }: CallAtWork & { readonly request: JsonObject },
  work: () => T,
): T {
  return withinRequest(request, () => (around === undefined ? work() : around(call, work)));
}

/** Runs work of a run, so that everything it starts sees exactly the run's request. */
export function withinRequest<T>(request: JsonObject, work: () => T): T {
  return currentRequest() === request ? work() : requests.run(request, work);
}
