import { useEffect, useMemo } from 'preact/hooks';
import { type BundledRun, bundleSource } from '../data/bundle-source.ts';
import { httpSource } from '../data/http-source.ts';
import { RunStore } from '../data/run-store.ts';
import { loadServerInfo, serverInfo } from '../data/server-info.ts';
import { useKeys } from '../kit/keys.ts';
import { TopBar } from '../kit/top-bar.tsx';
import { toVisibleText } from '../kit/visible-text.ts';
import { type Route, runHref, type RunTab, turnHref } from '../routing/route.ts';
import { go, lastViewHref, route } from '../routing/router.ts';
import { PageRun, useRun, useTitle } from './page-run.ts';
import { RunHeader } from './run-header.tsx';
import { TimelineView } from '../timeline/timeline-view.tsx';
import { BoardView } from '../board/board-view.tsx';
import { TreeView } from '../tree/tree-view.tsx';
import { TalkView } from '../talk/talk-view.tsx';
import { TurnsView } from './turns-view.tsx';
import { LazyView, loadLateViews } from './lazy-view.tsx';

/** An address of a run. */
export type RunRoute = Extract<Route, { readonly kind: 'run' | 'turn' }>;

/** Page of a run: its header, and the view from the address. */
export function RunPage({ shown, bundle }: { readonly shown: RunRoute; readonly bundle: BundledRun | undefined }) {
  const { runId } = shown;
  const store = useMemo(
    () => new RunStore(runId, bundle === undefined ? httpSource(runId) : bundleSource(bundle)),
    [runId, bundle],
  );
  useEffect(() => () => store.close(), [store]);
  const isLost = store.connection.value.kind === 'lost';
  useEffect(() => {
    // Without the info the page only reads; the connection note shows when the server does not answer.
    if (store.isServed && !isLost && serverInfo.peek() === undefined) loadServerInfo().catch(() => undefined);
  }, [store, isLost]);
  // Preloads the view of turns: opening one must not wait, nor need the server.
  useEffect(() => void loadLateViews().catch(() => undefined), []);
  useRunKeys(shown, store);
  const { connection } = store;
  const isUnknown = connection.value.kind === 'failed' && store.state === undefined;
  const hasScrollerOfItsOwn = shown.kind === 'run' && shown.tab !== 'board';
  return (
    <PageRun.Provider value={store}>
      {isUnknown ? (
        <UnknownRun runId={runId} />
      ) : (
        <>
          <RunHeader shown={shown} />
          <main class={hasScrollerOfItsOwn ? 'fill' : ''}>
            {shown.kind === 'turn' ? (
              <LazyView show={({ TurnView }) => <TurnView turnId={shown.turnId} query={shown.query} />} />
            ) : (
              <RunView shown={shown} />
            )}
          </main>
        </>
      )}
    </PageRun.Provider>
  );
}

/** Page of a run that cannot be shown: its id is unknown, or its first event cannot be read. */
function UnknownRun({ runId }: { readonly runId: string }) {
  const connection = useRun().connection.value;
  useTitle('No such run');
  return (
    <>
      <TopBar>
        <h1>{toVisibleText(runId)}</h1>
      </TopBar>
      <main>
        <div class="empty stack">
          <h2>This run cannot be shown</h2>
          <p role="alert" class="problem">
            {connection.kind === 'failed' && toVisibleText(connection.message)}
          </p>
          <a href="#/">All runs</a>
        </div>
      </main>
    </>
  );
}

const tabKeys: readonly (readonly [string, RunTab])[] = [
  ['l', 'timeline'],
  ['b', 'board'],
  ['a', 'tree'],
  ['c', 'talk'],
  ['t', 'turns'],
  ['e', 'events'],
];

/** Binds the keys that switch views, go from turn to turn, and go back. */
function useRunKeys(shown: RunRoute, store: RunStore): void {
  const { runId } = shown;
  // Reads the address, not the rendered page: the next key may come before the page is rendered again.
  const goUp = (): void => go(route.peek().kind === 'turn' ? lastViewHref(runId) : '#/');
  const step = (by: 1 | -1): void => {
    const now = route.peek();
    const turns = [...(store.state?.turns.keys() ?? [])];
    const at = now.kind === 'turn' ? turns.findIndex((id) => id === now.turnId) : -1;
    const next = at < 0 ? undefined : turns[at + by];
    if (next !== undefined) go(turnHref(runId, next));
  };
  useKeys([
    { keys: 'Escape', does: shown.kind === 'turn' ? 'back to the previous view' : 'to all runs', run: goUp },
    ...(shown.kind === 'turn'
      ? [
          { keys: 'j', does: 'next turn', run: () => step(1) },
          { keys: 'k', does: 'previous turn', run: () => step(-1) },
        ]
      : []),
    { keys: 'g r', does: 'all runs', run: () => go('#/') },
    ...tabKeys.map(([key, tab]) => ({ keys: `g ${key}`, does: tab, run: () => go(runHref(runId, tab)) })),
  ]);
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
      return <LazyView show={({ EventsView }) => <EventsView query={shown.query} />} />;
  }
}
