import { useState } from 'preact/hooks';
import type { RunComparison } from '../../src/inspect/compare/run-comparison.ts';
import { useAnswer } from '../data/use-answer.ts';
import { useKeys } from '../kit/keys.ts';
import { lineOf } from '../kit/line-of.ts';
import { TopBar } from '../kit/top-bar.tsx';
import { toVisibleText } from '../kit/visible-text.ts';
import { compareHref, type Route, runHref } from '../routing/route.ts';
import { go } from '../routing/router.ts';
import { useTitle } from '../run/page-run.ts';
import { ChooseRun } from './choose-run.tsx';
import { PairView } from './pair-view.tsx';
import './compare.css';

type CompareRoute = Extract<Route, { readonly kind: 'compare' }>;

/** Two runs beside each other; without a second one, the runs to choose from. */
export function ComparePage({ shown }: { readonly shown: CompareRoute }) {
  const { before, after, query } = shown;
  const goUp = (): void => go(after === undefined ? runHref(before) : '#/');
  useKeys([
    { keys: 'Escape', does: after === undefined ? 'back to the run' : 'to all runs', run: goUp },
    { keys: 'g r', does: 'all runs', run: () => go('#/') },
  ]);
  return after === undefined ? (
    <ChooseRun before={before} query={query} />
  ) : (
    <Compared before={before} after={after} shown={shown} />
  );
}

function Compared({ before, after, shown }: { readonly before: string; readonly after: string; readonly shown: CompareRoute }) {
  useTitle('Compare runs');
  const [round, setRound] = useState(0);
  const runs = [before, after].map((runId) => `run=${encodeURIComponent(runId)}`).join('&');
  const found = useAnswer<RunComparison>(`/api/compare?${runs}`, round);
  const isLive = found.kind === 'there' && found.answer.runs.some(({ outcome }) => outcome === undefined);
  const pair = found.kind === 'there' ? found.answer.pairs[0] : undefined;
  return (
    <>
      <TopBar>
        <a class="crumb" href="#/">
          Runs
        </a>
        <h1>Compare {[before, after].map((runId) => lineOf(runId, 60)).join(' and ')}</h1>
        <a class="small" href={compareHref(after, before)}>
          swap
        </a>
        {isLive && (
          <button type="button" class="small" onClick={() => setRound(round + 1)} title="A run that goes on has new turns">
            compare again
          </button>
        )}
      </TopBar>
      <main>
        {found.kind === 'loading' && <p class="empty faint">Comparing…</p>}
        {found.kind === 'problem' && (
          <div class="empty stack">
            <h2>These runs cannot be compared</h2>
            <p role="alert" class="problem">
              {toVisibleText(found.message)}
            </p>
            <a href="#/">All runs</a>
          </div>
        )}
        {found.kind === 'there' && pair !== undefined && (
          <PairView comparison={found.answer} pair={pair} query={shown.query} round={round} />
        )}
      </main>
    </>
  );
}
