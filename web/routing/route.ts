/** The views of a run. */
export const runTabs = ['timeline', 'board', 'tree', 'talk', 'turns', 'events'] as const;

/** One view of a run. */
export type RunTab = (typeof runTabs)[number];

/** Address of a page. `query` has values that a view keeps in the address, such as a filter or a place in a text. */
export type Route =
  | { readonly kind: 'runs'; readonly query: RouteQuery }
  | { readonly kind: 'run'; readonly runId: string; readonly tab: RunTab; readonly query: RouteQuery }
  | { readonly kind: 'turn'; readonly runId: string; readonly turnId: string; readonly query: RouteQuery }
  /** Two runs beside each other; without a second one, the choice of it. */
  | { readonly kind: 'compare'; readonly before: string; readonly after?: string; readonly query: RouteQuery }
  /** What the tests of the profiles exercised. */
  | { readonly kind: 'coverage'; readonly query: RouteQuery }
  | { readonly kind: 'unknown'; readonly path: string; readonly query: RouteQuery };

/** Values in an address, by name. */
export type RouteQuery = Readonly<Record<string, string>>;

/** Parses the part of an address after `#`. */
export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = splitOnce(hash.replace(/^#/u, ''), '?');
  const query = Object.fromEntries(new URLSearchParams(search));
  const [first, runId, tab, turnId] = path.split('/').filter(Boolean).map(decoded);
  if (first === undefined || (first === 'runs' && runId === undefined)) return { kind: 'runs', query };
  if (first === 'compare' && runId !== undefined)
    return { kind: 'compare', before: runId, ...(tab === undefined ? {} : { after: tab }), query };
  if (first === 'coverage' && runId === undefined) return { kind: 'coverage', query };
  if (first !== 'runs' || runId === undefined) return { kind: 'unknown', path, query };
  if (tab === 'turns' && turnId !== undefined) return { kind: 'turn', runId, turnId, query };
  const known = runTabs.find((name) => name === (tab ?? 'timeline'));
  return known === undefined ? { kind: 'unknown', path, query } : { kind: 'run', runId, tab: known, query };
}

/** Returns the address of a view, from `#` on, for links. */
export function hrefOf(route: Route): string {
  const search = new URLSearchParams(Object.entries(route.query).filter(([, value]) => value !== '')).toString();
  return `#${pathOf(route)}${search === '' ? '' : `?${search}`}`;
}

/** Returns the address of a run, or of one view of it. */
export function runHref(runId: string, tab: RunTab = 'timeline', query: RouteQuery = {}): string {
  return hrefOf({ kind: 'run', runId, tab, query });
}

/** Returns the address of a comparison; without a second run, that of the choice of it. */
export function compareHref(before: string, after?: string): string {
  return hrefOf({ kind: 'compare', before, ...(after === undefined ? {} : { after }), query: {} });
}

/** Returns the address of a turn. */
export function turnHref(runId: string, turnId: string, query: RouteQuery = {}): string {
  return hrefOf({ kind: 'turn', runId, turnId, query });
}

function pathOf(route: Route): string {
  switch (route.kind) {
    case 'runs':
      return '/';
    case 'run':
      return `/runs/${encodeURIComponent(route.runId)}${route.tab === 'timeline' ? '' : `/${route.tab}`}`;
    case 'turn':
      return `/runs/${encodeURIComponent(route.runId)}/turns/${encodeURIComponent(route.turnId)}`;
    case 'coverage':
      return '/coverage';
    case 'compare':
      return `/compare/${[route.before, ...(route.after === undefined ? [] : [route.after])].map(encodeURIComponent).join('/')}`;
    case 'unknown':
      return route.path;
  }
}

function splitOnce(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** Decodes a part; keeps it as it is when that fails, since a user may have typed it. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
