import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';

/** What an attempt learns about the connection of its request. */
export interface ConnectionListener {
  /** A request was made that needs a connection. */
  connecting(): void;
  /** The connection stands (name found, TCP and TLS done), and the request is on its way. */
  connected(): void;
  /** The stream of the answer said `[DONE]`, and ended. */
  done?(): void;
}

const listeners = new AsyncLocalStorage<ConnectionListener>();

// Not state of a run: finds the attempt behind a request on the wire, for as long as the request lives.
const listenerOf = new WeakMap<object, ConnectionListener>();

// Not state of a run: the channels belong to the process, and one subscription serves every attempt.
let isSubscribed = false;

/**
 * Runs `work` and tells `listener` about the connections of the requests that `work` makes with `fetch`. The promise of `fetch`
 * settles with the head of the answer, which a server may send with its first token; Node's own channels say when the
 * connection stands.
 */
export function withConnectionListener<T>(listener: ConnectionListener, work: () => T): T {
  subscribeOnce();
  return listeners.run(listener, work);
}

/** The listener of the request that is being made; undefined outside of `withConnectionListener`. */
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
