import { useEffect, useMemo } from 'preact/hooks';
import { RunsStore } from '../data/runs-store.ts';
import { Badge } from '../kit/badge.tsx';
import { toVisibleText } from '../kit/visible-text.ts';
import { runHref, type RouteQuery } from '../routing/route.ts';

/** The list of runs. */
export function RunsPage(_: { readonly query: RouteQuery }) {
  const store = useMemo(() => new RunsStore(), []);
  useEffect(() => () => store.close(), [store]);
  return (
    <main>
      <h1>Runs</h1>
      {store.problem.value !== undefined && <p role="alert">{store.problem.value}</p>}
      <ul>
        {(store.rows.value ?? []).map((row) => (
          <li key={row.runId}>
            <a href={runHref(row.runId)}>{toVisibleText(row.title)}</a> <Badge status={row.status} />
          </li>
        ))}
      </ul>
    </main>
  );
}
