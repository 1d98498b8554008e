import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';

/** Callbacks for the connection of a request. */
export interface ConnectionListener {
  /** A request needs a connection. */
  connecting(): void;
  /** The connection is established (name resolved, TCP and TLS done) and the request is sent. */
  connected(): void;
  /** The response stream ended with `[DONE]`. */
  done?(): void;
}

const listeners = new AsyncLocalStorage<ConnectionListener>();

// Not state of a run: finds the attempt behind a request on the wire while the request lives.
const listenerOf = new WeakMap<object, ConnectionListener>();

// Not state of a run: the channels belong to the process, and one subscription serves every attempt.
let isSubscribed = false;

/**
 * Runs `work` and reports connections of its `fetch` requests to `listener`. The promise of `fetch` settles with the response
 * headers, which a server may send only with its first token; Node's diagnostics channels report the connection itself.
 */
export function withConnectionListener<T>(listener: ConnectionListener, work: () => T): T {
  subscribeOnce();
  return listeners.run(listener, work);
}

/** Returns the listener of the current request; undefined outside `withConnectionListener`. */
export function currentListener(): ConnectionListener | undefined {
  return listeners.getStore();
}

function subscribeOnce(): void {
  if (isSubscribed) return;
  isSubscribed = true;
  subscribe('undici:request:create', (message) => {
    const request = requestOf(message);
    const listener = listeners.getStore();
    if (request === undefined || listener === undefined) return;
    listenerOf.set(request, listener);
    listener.connecting();
  });
  subscribe('undici:client:sendHeaders', (message) => {
    const request = requestOf(message);
    if (request !== undefined) listenerOf.get(request)?.connected();
  });
}

function requestOf(message: unknown): object | undefined {
  const request: unknown = typeof message === 'object' && message !== null && 'request' in message ? message.request : undefined;
  return typeof request === 'object' && request !== null ? request : undefined;
}
