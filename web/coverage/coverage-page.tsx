import { useEffect, useMemo } from 'preact/hooks';
import { type CoverageCounts, behaviourKinds, type TestReport } from '../../src/inspect/tests/test-report.ts';
import { countText, durationText } from '../../src/inspect/format/text/quantity-text.ts';
import { useKeys } from '../kit/keys.ts';
import { safe } from '../kit/safe.ts';
import { ScrollBox } from '../kit/scroll-box.tsx';
import { Time } from '../kit/time.tsx';
import { TopBar } from '../kit/top-bar.tsx';
import { toVisibleText } from '../kit/visible-text.ts';
import type { RouteQuery } from '../routing/route.ts';
import { go, setQuery } from '../routing/router.ts';
import { useTitle } from '../run/page-run.ts';
import { FailedCases } from './failed-cases.tsx';
import { ProfileCoverage } from './profile-coverage.tsx';
import { TestsStore } from './tests-store.ts';
import './coverage.css';

/** What the tests of the server's profiles exercised, what they did not, and which of them fail. */
export function CoveragePage({ query }: { readonly query: RouteQuery }) {
  const store = useMemo(() => new TestsStore(), []);
  useEffect(() => () => store.close(), [store]);
  useTitle('Coverage');
  useKeys([
    { keys: 'Escape', does: 'to all runs', run: () => go('#/') },
    { keys: 'g r', does: 'all runs', run: () => go('#/') },
    { keys: 'r', does: 'run the tests', run: () => void store.run() },
  ]);
  const report = store.report.value;
  const isRunning = store.isRunning.value;
  const problem = store.problem.value;
  return (
    <>
      <TopBar>
        <a class="crumb" href="#/">
          Runs
        </a>
        <h1>Coverage</h1>
        {report !== undefined && <span class="faint small location">{toVisibleText(report.folder)}</span>}
        <button type="button" class="primary" disabled={isRunning || !store.isKnown.value} onClick={() => void store.run()}>
          Run the tests
        </button>
        {/* What is happening, also for readers who do not see the button. */}
        <span role="status" class="small faint">
          {isRunning ? 'running…' : report !== undefined && <Ran report={report} isChanged={store.isChanged.value} />}
        </span>
      </TopBar>
      <main>
        {problem !== undefined && (
          <p role="alert" class="problem">
            {toVisibleText(problem)}
          </p>
        )}
        {report !== undefined ? (
          <Report report={report} onlyMissing={query['only'] === 'missing'} />
        ) : (
          problem === undefined && <NotRun isKnown={store.isKnown.value} isRunning={isRunning} />
        )}
      </main>
    </>
  );
}

function Ran({ report, isChanged }: { readonly report: TestReport; readonly isChanged: boolean }) {
  return (
    <>
      {isChanged ? 'files changed since ' : 'ran '}
      <Time at={report.at} />
    </>
  );
}

function NotRun({ isKnown, isRunning }: { readonly isKnown: boolean; readonly isRunning: boolean }) {
  if (!isKnown || isRunning) return <p class="empty faint">{isRunning ? 'The tests run…' : 'Loading…'}</p>;
  return (
    <div class="empty stack">
      <h2>The tests have not run yet</h2>
      <p>They call no model and no tool, and need some seconds. “Run the tests” shows what they exercise of each profile.</p>
    </div>
  );
}

function Report({ report, onlyMissing }: { readonly report: TestReport; readonly onlyMissing: boolean }) {
  const { counts, profiles, passed, failed, problems, ms } = report;
  return (
    <div class="coverage stack">
      <p>
        {failed > 0 && <strong class="tone-bad">{failed} failed, </strong>}
        <span class={passed > 0 ? 'tone-good' : ''}>{passed} passed</span>
        {problems.length > 0 && <span class="tone-bad">, {countText(problems.length, 'problem')}</span>}{' '}
        <span class="faint">in {durationText(ms)}</span>
      </p>
      {problems.length > 0 && <pre class="problem panel">{problems.map(toVisibleText).join('\n')}</pre>}
      {report.failures.length > 0 && <FailedCases cases={report.failures} failed={failed} />}
      {counts === undefined ? (
        problems.length === 0 && <NoTests folder={report.folder} />
      ) : (
        <>
          <section aria-labelledby="coverage-totals" class="stack">
            <div class="row">
              <h2 id="coverage-totals">Exercised by tests</h2>
              <button
                type="button"
                class="small push"
                aria-pressed={onlyMissing}
                onClick={() => setQuery({ only: onlyMissing ? '' : 'missing' })}
              >
                only what no test exercises
              </button>
            </div>
            <Totals counts={counts} profiles={profiles} />
          </section>
          {profiles.map((each) => (
            <ProfileCoverage key={each.profile} tested={each} onlyMissing={onlyMissing} />
          ))}
        </>
      )}
    </div>
  );
}

function NoTests({ folder }: { readonly folder: string }) {
  return (
    <div class="empty stack">
      <h2>There are no tests in {safe(folder)}</h2>
      <p>
        Write <code>NAME.test.yaml</code> beside a profile, or <code>tests:</code> in it; or make one from a recorded turn:
      </p>
      <pre class="panel mono">cadre test --from RUN TURN</pre>
    </div>
  );
}

function Totals({ counts, profiles }: { readonly counts: CoverageCounts; readonly profiles: TestReport['profiles'] }) {
  return (
    <ScrollBox class="t-scroll-x" label="Totals">
      <table class="coverage-table panel" aria-label="Totals">
        <thead>
          <tr>
            <th scope="col">profile</th>
            {behaviourKinds.map((kind) => (
              <th key={kind} scope="col">
                {kind}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {profiles.map((each) => (
            <CountRow key={each.profile} name={each.profile} counts={each.counts} />
          ))}
          <CountRow name="all" counts={counts} />
        </tbody>
      </table>
    </ScrollBox>
  );
}

function CountRow({ name, counts }: { readonly name: string; readonly counts: CoverageCounts }) {
  return (
    <tr>
      <th scope="row">{safe(name, 80)}</th>
      {behaviourKinds.map((kind) => {
        const { exercised, total } = counts[kind];
        return (
          <td key={kind} class={`number ${total === 0 ? 'faint' : exercised < total ? 'tone-waits' : 'tone-good'}`}>
            {total === 0 ? '–' : `${exercised} of ${total}`}
          </td>
        );
      })}
    </tr>
  );
}
