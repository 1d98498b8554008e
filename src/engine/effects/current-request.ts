import { AsyncLocalStorage } from 'node:async_hooks';
import type { JsonObject } from '../../core/json.ts';

const nothing: JsonObject = Object.freeze({});
const requests = new AsyncLocalStorage<JsonObject>();

/**
 * Returns the request of the current run, as given to `engine.launch`, in any code that a tool, a function node or a model of the run
 * calls; empty outside of a run. Same as a tool's `context.request`, for code that has no context.
 */
export function currentRequest(): JsonObject {
  return requests.getStore() ?? nothing;
}

/** Runs work of a run, so that everything it starts sees exactly the run's request. */
export function withinRequest<T>(request: JsonObject, work: () => T): T {
  return currentRequest() === request ? work() : requests.run(request, work);
}
