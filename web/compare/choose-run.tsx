import { useEffect, useMemo } from 'preact/hooks';
import { RunsStore } from '../data/runs-store.ts';
import { lineOf } from '../kit/line-of.ts';
import { SearchField } from '../kit/search-field.tsx';
import { TopBar } from '../kit/top-bar.tsx';
import { toVisibleText } from '../kit/visible-text.ts';
import { compareHref, type RouteQuery, runHref } from '../routing/route.ts';
import { setQuery } from '../routing/router.ts';
import { useTitle } from '../run/page-run.ts';
import { filterRuns } from '../runs/run-filter.ts';
import { RunsTable } from '../runs/runs-table.tsx';

/** The runs that a run can be compared with, the newest first; each row leads to the comparison. */
export function ChooseRun({ before, query }: { readonly before: string; readonly query: RouteQuery }) {
  const store = useMemo(() => new RunsStore(), []);
  useEffect(() => () => store.close(), [store]);
  useTitle('Compare with another run');
  const { q = '' } = query;
  const all = store.rows.value;
  const title = all?.find(({ runId }) => runId === before)?.title ?? before;
  const rows = filterRuns(
    (all ?? []).filter(({ runId }) => runId !== before),
    '',
    q,
  );
  return (
    <>
      <TopBar>
        <a class="crumb" href={runHref(before)}>
          {lineOf(title, 60)}
        </a>
        <h1>Compare with…</h1>
        {store.problem.value !== undefined && (
          <span role="alert" class="problem small">
            {toVisibleText(store.problem.value)}
          </span>
        )}
      </TopBar>
      <main class="fill">
        <div class="toolbar">
          <SearchField label="Search title, id, profile" value={q} onChange={(words) => setQuery({ q: words })} />
        </div>
        {all === undefined ? (
          <p class="empty faint">Loading the runs…</p>
        ) : rows.length === 0 ? (
          <p class="empty">{q === '' ? 'There is no other run to compare with.' : 'No matching runs.'}</p>
        ) : (
          <RunsTable rows={rows} hrefOf={({ runId }) => compareHref(before, runId)} />
        )}
      </main>
    </>
  );
}
