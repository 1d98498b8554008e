import { concludeRun } from '../../src/inspect/conclude.ts';
import { runOverview, type RunOverview } from '../../src/inspect/run-overview.ts';
import { statusWord } from '../../src/inspect/run-words.ts';
import { useLiveness, type Liveness } from '../data/liveness.ts';
import { Badge } from '../kit/badge.tsx';
import { TopBar } from '../kit/top-bar.tsx';
import { startOf, toVisibleText } from '../kit/visible-text.ts';
import { runHref, runTabs, turnHref } from '../routing/route.ts';
import { ConnectionNote } from './connection-note.tsx';
import { News } from './news.tsx';
import { RunActions } from './run-actions.tsx';
import { useRun, useTitle, useView } from './page-run.ts';
import { RunFacts } from './run-facts.tsx';
import type { RunRoute } from './run-page.tsx';
import { RequestStrip } from './request-strip.tsx';
import './run.css';

/** Maximum length of a title in a heading, in characters. */
const longestTitle = 300;

/** Header of a run, above all its views. */
export function RunHeader({ shown }: { readonly shown: RunRoute }) {
  const store = useRun();
  const overview = useView(runOverview).value;
  const conclusion = useView((state) => (state.outcome === undefined ? undefined : concludeRun(state))).value;
  const liveness = useLiveness();
  const title = toVisibleText(startOf(overview?.title ?? shown.runId, longestTitle));
  useTitle(`${shown.kind === 'turn' ? shown.turnId : shown.tab} · ${title}`);
  return (
    <>
      <TopBar>
        {store.isServed && (
          <a class="crumb" href="#/">
            Runs
          </a>
        )}
        <h1 title={shown.runId}>{title}</h1>
        {overview !== undefined && <Badge status={statusOf(overview, liveness)} />}
        {overview?.imported !== undefined && (
          <span class="badge tone-calm" title={`read from ${toVisibleText(overview.imported.from)}`}>
            imported
          </span>
        )}
        <ConnectionNote />
      </TopBar>
      {overview !== undefined && <RunFacts overview={overview} isWorking={store.isServed && liveness?.isAbandoned !== true} />}
      {conclusion?.problem !== undefined && <Problem {...conclusion} problem={conclusion.problem} shown={shown} />}
      <div class="run-bar">
        <nav aria-label="Views of this run">
          {runTabs.map((tab) => (
            <a
              key={tab}
              href={runHref(shown.runId, tab)}
              aria-current={shown.kind === 'run' && shown.tab === tab ? 'page' : undefined}
            >
              {tab}
            </a>
          ))}
        </nav>
        {overview !== undefined && <RunActions overview={overview} liveness={liveness} />}
      </div>
      {overview !== undefined && !(shown.kind === 'run' && shown.tab === 'talk') && <RequestStrip overview={overview} />}
      <News overview={overview} />
    </>
  );
}

/** Error of a failed run, with a link to the turn that failed. */
function Problem(props: { readonly problem: string; readonly failedTurnId?: string; readonly shown: RunRoute }) {
  const { problem, failedTurnId, shown } = props;
  const isThere = shown.kind === 'turn' && shown.turnId === failedTurnId;
  return (
    <p class="run-problem problem">
      {toVisibleText(startOf(problem, 2_000))}
      {failedTurnId !== undefined && !isThere && (
        <>
          {' '}
          <a href={turnHref(shown.runId, failedTurnId)}>in turn {toVisibleText(failedTurnId)}</a>
        </>
      )}
    </p>
  );
}

/** Returns the status, as in the list of runs. */
function statusOf({ status, pending, imported }: RunOverview, liveness: Liveness | undefined): string {
  return statusWord({
    status,
    pending: pending.length,
    isAbandoned: liveness?.isAbandoned === true,
    isImported: imported !== undefined,
  });
}
