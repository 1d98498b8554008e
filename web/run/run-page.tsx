import { useEffect, useMemo } from 'preact/hooks';
import { runOverview } from '../../src/inspector/run-overview.ts';
import { httpSource } from '../data/http-source.ts';
import { type BundledRun, bundleSource } from '../data/bundle-source.ts';
import { RunStore } from '../data/run-store.ts';
import type { Route } from '../routing/route.ts';
import { runHref, runTabs } from '../routing/route.ts';
import { Badge } from '../kit/badge.tsx';
import { toVisibleText } from '../kit/visible-text.ts';
import { TurnView } from '../turn/turn-view.tsx';
import { RunContext, useTitle, useView } from './run-context.ts';
import { TimelineView } from '../timeline/timeline-view.tsx';
import { BoardView } from '../board/board-view.tsx';
import { TreeView } from '../tree/tree-view.tsx';
import { TalkView } from './talk-view.tsx';
import { TurnsView } from './turns-view.tsx';
import { EventsView } from './events-view.tsx';

type RunRoute = Extract<Route, { readonly kind: 'run' | 'turn' }>;

/** One run: its header, and the view the address names. */
export function RunPage({ shown, bundle }: { readonly shown: RunRoute; readonly bundle: BundledRun | undefined }) {
  const { runId } = shown;
  const store = useMemo(
    () => new RunStore(runId, bundle === undefined ? httpSource(runId) : bundleSource(bundle)),
    [runId, bundle],
  );
  useEffect(() => () => store.close(), [store]);
  return (
    <RunContext.Provider value={store}>
      <RunHeader shown={shown} />
      <main>{shown.kind === 'turn' ? <TurnView turnId={shown.turnId} query={shown.query} /> : <RunView shown={shown} />}</main>
    </RunContext.Provider>
  );
}

function RunHeader({ shown }: { readonly shown: RunRoute }) {
  const overview = useView(runOverview).value;
  useTitle(overview?.title ?? shown.runId);
  return (
    <header class="run-header">
      <h1>{toVisibleText(overview?.title ?? shown.runId)}</h1>
      {overview !== undefined && <Badge status={overview.status} />}
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
    </header>
  );
}

function RunView({ shown }: { readonly shown: Extract<RunRoute, { readonly kind: 'run' }> }) {
  switch (shown.tab) {
    case 'timeline':
      return <TimelineView query={shown.query} />;
    case 'board':
      return <BoardView query={shown.query} />;
    case 'tree':
      return <TreeView query={shown.query} />;
    case 'talk':
      return <TalkView query={shown.query} />;
    case 'turns':
      return <TurnsView query={shown.query} />;
    case 'events':
      return <EventsView query={shown.query} />;
  }
}
