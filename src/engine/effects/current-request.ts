import { AsyncLocalStorage } from 'node:async_hooks';
import type { JsonObject } from '../../core/json.ts';

const nothing: JsonObject = Object.freeze({});
const requests = new AsyncLocalStorage<JsonObject>();

/**
 * The values of the request the code at hand works for: what `engine.launch` was given as `request`, wherever a tool, a function node
 * or a model of its run was called from. Nothing, outside of a run. The same as a tool's `context.request`, for code that has no context.
 */
export function currentRequest(): JsonObject {
  return requests.getStore() ?? nothing;
}

/** Runs work of a run, so that all it begins sees the run's request and no other. */
export function withinRequest<T>(request: JsonObject, work: () => T): T {
  return currentRequest() === request ? work() : requests.run(request, work);
}
