import { effect, signal } from '@preact/signals';
import { hrefOf, parseRoute, runHref, type Route, type RouteQuery } from './route.ts';

/** Route of the current address. */
export const route = signal<Route>(parseRoute(location.hash));

addEventListener('hashchange', () => {
  route.value = parseRoute(location.hash);
});

let viewed: Extract<Route, { readonly kind: 'run' }> | undefined;
effect(() => {
  if (route.value.kind === 'run') viewed = route.value;
});

/** Returns the address of the last viewed view of a run, with its filters; the list of turns when there is none. */
export function lastViewHref(runId: string): string {
  return viewed?.runId === runId ? hrefOf(viewed) : runHref(runId, 'turns');
}

/** Goes to an address, as a link would, and updates `route` synchronously. */
export function go(href: string): void {
  location.hash = href;
  route.value = parseRoute(location.hash);
}

/** Changes values in the address without a new history entry; removes empty ones. */
export function setQuery(changes: RouteQuery): void {
  const next: Route = { ...route.peek(), query: { ...route.peek().query, ...changes } };
  history.replaceState(null, '', hrefOf(next));
  route.value = parseRoute(location.hash);
}

/** Returns the page of a route, without filters and marks. */
export function placeOf(shown: Route): string {
  return hrefOf({ ...shown, query: {} });
}
