import type { FailedCase } from '../../src/inspect/tests/test-report.ts';
import { countText } from '../../src/inspect/format/text/quantity-text.ts';
import { placeText, safe } from '../kit/safe.ts';
import { useMany } from '../kit/use-many.tsx';
import { toVisibleText } from '../kit/visible-text.ts';
import { LinesDiff } from '../turn/diff-view.tsx';

/** Cases that failed: each expectation that does not hold, with its place, and expected and actual lines. */
export function FailedCases({ cases, failed }: { readonly cases: readonly FailedCase[]; readonly failed: number }) {
  const [shown, more] = useMany(cases);
  return (
    <section aria-labelledby="failed-cases" class="stack">
      <h2 id="failed-cases">Failed</h2>
      {shown.map(({ file, name, profile, failures }, index) => (
        <article key={index} class="panel stack coverage-missing" aria-label={safe(name, 200)}>
          <h3>
            {safe(profile, 80)}: {safe(name, 200)} <span class="faint mono">{safe(file, 200)}</span>
          </h3>
          {failures.map((failure, at) => (
            <div key={at}>
              <p>
                <span class="mono">{placeText(failure.at)}</span> {toVisibleText(failure.message)}
              </p>
              {failure.expected !== undefined && failure.actual !== undefined && (
                <>
                  <p class="small">
                    <span class="tone-bad">− expected</span> <span class="tone-good">+ actual</span>
                  </p>
                  <LinesDiff before={failure.expected} after={failure.actual} />
                </>
              )}
            </div>
          ))}
        </article>
      ))}
      {more}
      {failed > cases.length && <p class="faint">and {countText(failed - cases.length, 'more case')} that failed: cadre test</p>}
    </section>
  );
}
