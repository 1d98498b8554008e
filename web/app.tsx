import type { BundledRun } from './data/bundle-source.ts';
import { route } from './routing/router.ts';
import { RunPage } from './run/run-page.tsx';
import { RunsPage } from './runs/runs-page.tsx';

/** The page: what the address names. A page with a run inside it shows that run alone. */
export function App({ bundle }: { readonly bundle: BundledRun | undefined }) {
  const shown = route.value;
  const own = bundle?.events[0]?.runId;
  if (shown.kind === 'run' || shown.kind === 'turn') return <RunPage shown={shown} bundle={bundle} />;
  if (own !== undefined) return <RunPage shown={{ kind: 'run', runId: own, tab: 'timeline', query: {} }} bundle={bundle} />;
  if (shown.kind === 'runs') return <RunsPage query={shown.query} />;
  return (
    <main>
      <h1>There is nothing at this address</h1>
      <p>
        <a href="#/">All runs</a>
      </p>
    </main>
  );
}
