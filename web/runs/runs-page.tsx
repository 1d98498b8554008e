import { useEffect, useMemo, useState } from 'preact/hooks';
import { RunsStore } from '../data/runs-store.ts';
import { missingRole, serverInfo } from '../data/server-info.ts';
import { SearchField } from '../kit/search-field.tsx';
import { TopBar } from '../kit/top-bar.tsx';
import { toVisibleText } from '../kit/visible-text.ts';
import { compareHref, hrefOf, type RouteQuery } from '../routing/route.ts';
import { setQuery } from '../routing/router.ts';
import { useTitle } from '../run/page-run.ts';
import { LaunchDialog } from './launch-dialog.tsx';
import { countStatuses, filterRuns } from './run-filter.ts';
import { RunsTable } from './runs-table.tsx';
import './runs.css';

/** The list of runs, updated live. */
export function RunsPage({ query }: { readonly query: RouteQuery }) {
  const store = useMemo(() => new RunsStore(), []);
  useEffect(() => () => store.close(), [store]);
  useTitle('Runs');
  const [launches, setLaunches] = useState(false);
  // The last two, in the order in which they were chosen.
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const choose = (runId: string): void =>
    setChosen(chosen.includes(runId) ? chosen.filter((each) => each !== runId) : [...chosen, runId].slice(-2));
  const [before, after] = chosen;
  const rows = store.rows.value;
  const info = serverInfo.value;
  const { status = '', q = '' } = query;
  const found = filterRuns(rows ?? [], status, q);
  return (
    <>
      <TopBar>
        <h1>Runs</h1>
        {info !== undefined && <span class="faint small location">{toVisibleText(info.location)}</span>}
        {info?.canControl === false && <span class="badge">read only</span>}
        {info?.canTest === true && (
          <a class="small" href={hrefOf({ kind: 'coverage', query: {} })}>
            Coverage
          </a>
        )}
        {store.problem.value !== undefined && (
          <span role="alert" class="problem small">
            {toVisibleText(store.problem.value)}
          </span>
        )}
      </TopBar>
      <main class="fill">
        <div class="toolbar">
          <SearchField label="Search title, id, profile" value={q} onChange={(words) => setQuery({ q: words })} />
          <div class="row" role="group" aria-label="Status">
            {countStatuses(rows ?? [], q).map(([name, count]) => (
              <button
                key={name}
                type="button"
                class="small"
                aria-pressed={status === name}
                onClick={() => setQuery({ status: status === name ? '' : name })}
              >
                {toVisibleText(name)} <span class="number faint">{count}</span>
              </button>
            ))}
          </div>
          {before !== undefined && (
            <a class="button small" href={compareHref(before, after)}>
              {after === undefined ? 'Compare with…' : 'Compare the two runs'}
            </a>
          )}
          {info?.canControl === true && (
            <button
              type="button"
              class="primary push"
              disabled={missingRole('talk') !== undefined}
              title={missingRole('talk')}
              onClick={() => setLaunches(true)}
            >
              New run
            </button>
          )}
        </div>
        {rows === undefined ? (
          <p class="empty faint">Loading the runs…</p>
        ) : rows.length === 0 ? (
          <NoRuns canControl={info?.canControl === true} />
        ) : found.length === 0 ? (
          <p class="empty">
            No matching runs.{' '}
            <button type="button" class="quiet" onClick={() => setQuery({ q: '', status: '' })}>
              Show all {rows.length}
            </button>
          </p>
        ) : (
          <RunsTable rows={found} chosen={chosen} onChoose={choose} />
        )}
      </main>
      {launches && info !== undefined && <LaunchDialog info={info} onClose={() => setLaunches(false)} />}
    </>
  );
}

function NoRuns({ canControl }: { readonly canControl: boolean }) {
  return (
    <div class="empty stack">
      <h2>No runs yet</h2>
      {canControl && <p>Start one with “New run”, or from a terminal:</p>}
      <pre class="panel mono">cadre run "What should the team find out?"</pre>
      <p class="faint">Runs of every process that uses this journal appear here live.</p>
    </div>
  );
}
