import { effect, signal } from '@preact/signals';
import { hrefOf, parseRoute, runHref, type Route, type RouteQuery } from './route.ts';

/** What the address says is shown. */
export const route = signal<Route>(parseRoute(location.hash));

addEventListener('hashchange', () => {
  route.value = parseRoute(location.hash);
});

let viewed: Extract<Route, { readonly kind: 'run' }> | undefined;
effect(() => {
  if (route.value.kind === 'run') viewed = route.value;
});

/** The view of a run that was looked at last, as it was narrowed and marked; the list of turns when none was. */
export function lastViewHref(runId: string): string {
  return viewed?.runId === runId ? hrefOf(viewed) : runHref(runId, 'turns');
}

/** Goes to an address, as a link would; `route` says so at once. */
export function go(href: string): void {
  location.hash = href;
  route.value = parseRoute(location.hash);
}

/** Changes values in the address without a new entry in the browser's history; an empty value goes away. */
export function setQuery(changes: RouteQuery): void {
  const next: Route = { ...route.peek(), query: { ...route.peek().query, ...changes } };
  history.replaceState(null, '', hrefOf(next));
  route.value = parseRoute(location.hash);
}

/** Which page an address is, whatever it has narrowed or marked there. */
export function placeOf(shown: Route): string {
  return hrefOf({ ...shown, query: {} });
}
