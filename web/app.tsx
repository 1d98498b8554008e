import { useEffect, useRef } from 'preact/hooks';
import type { BundledRun } from './data/bundle-source.ts';
import { ChangedProfiles } from './kit/changed-profiles.tsx';
import { keysAreShown, useKeys } from './kit/keys.ts';
import { KeysDialog } from './kit/keys-dialog.tsx';
import { TopBar } from './kit/top-bar.tsx';
import type { Route } from './routing/route.ts';
import { placeOf, route } from './routing/router.ts';
import { AuthorView } from './run/lazy-view.tsx';
import { RunPage } from './run/run-page.tsx';
import { useTitle } from './run/page-run.ts';
import { RunsPage } from './runs/runs-page.tsx';

/** The page for the current address. A page with a run inside shows only that run. */
export function App({ bundle }: { readonly bundle: BundledRun | undefined }) {
  useKeys([{ keys: '?', does: 'the keys', run: () => (keysAreShown.value = true) }]);
  useFocusOnArrival(placeOf(route.value));
  return (
    <>
      <a class="skip-link" href={location.hash} onClick={skip}>
        Skip to the content
      </a>
      {bundle === undefined && <ChangedProfiles />}
      <Shown shown={route.value} bundle={bundle} />
      {keysAreShown.value && <KeysDialog onClose={() => (keysAreShown.value = false)} />}
    </>
  );
}

function Shown({ shown, bundle }: { readonly shown: Route; readonly bundle: BundledRun | undefined }) {
  const own = bundle?.events[0]?.runId;
  if (shown.kind === 'run' || shown.kind === 'turn') return <RunPage shown={shown} bundle={bundle} />;
  if (own !== undefined)
    return <RunPage shown={{ kind: 'run', runId: own, tab: 'timeline', query: shown.query }} bundle={bundle} />;
  if (shown.kind === 'runs') return <RunsPage query={shown.query} />;
  if (shown.kind === 'compare')
    return <AuthorView show={({ ComparePage }) => <ComparePage key={placeOf(shown)} shown={shown} />} />;
  if (shown.kind === 'coverage') return <AuthorView show={({ CoveragePage }) => <CoveragePage query={shown.query} />} />;
  return <Nothing />;
}

function Nothing() {
  useTitle('Nothing here');
  return (
    <>
      <TopBar>
        <h1>There is nothing at this address</h1>
      </TopBar>
      <main>
        <a href="#/">All runs</a>
      </main>
    </>
  );
}

/** Moves the focus to the new heading after navigation, for screen readers. */
function useFocusOnArrival(place: string): void {
  const before = useRef(place);
  useEffect(() => {
    if (before.current === place) return;
    before.current = place;
    focusHeading();
  }, [place]);
}

function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>('main :is(h1, h2)') ?? document.querySelector<HTMLElement>('h1');
  heading?.setAttribute('tabindex', '-1');
  heading?.focus({ preventScroll: true });
}

function skip(event: Event): void {
  event.preventDefault();
  const main = document.querySelector<HTMLElement>('main');
  main?.setAttribute('tabindex', '-1');
  main?.focus();
}
