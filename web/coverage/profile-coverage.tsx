import { useState } from 'preact/hooks';
import type { TestedBehaviour, TestedProfile } from '../../src/inspect/tests/test-report.ts';
import { countText } from '../../src/inspect/format/text/quantity-text.ts';
import { placeText, safe } from '../kit/safe.ts';
import { ScrollBox } from '../kit/scroll-box.tsx';
import { useMany } from '../kit/use-many.tsx';

/** The behaviours that one profile declares: each with the tests that exercise it, or none. */
export function ProfileCoverage({ tested, onlyMissing }: { readonly tested: TestedProfile; readonly onlyMissing: boolean }) {
  const { profile, behaviours } = tested;
  const missing = behaviours.filter(({ tests }) => tests === 0);
  // A profile with nothing to do is folded.
  const [isOpen, setOpen] = useState(missing.length > 0);
  const rows = onlyMissing ? missing : behaviours;
  return (
    <details class="panel" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <h3>{safe(profile, 80)}</h3>{' '}
        {missing.length === 0 ? (
          <span class="tone-good">all {countText(behaviours.length, 'behaviour')} exercised</span>
        ) : (
          <span class="tone-waits">
            {missing.length} of {countText(behaviours.length, 'behaviour')} not exercised
          </span>
        )}
      </summary>
      {isOpen && rows.length > 0 && <Behaviours profile={profile} rows={rows} />}
    </details>
  );
}

function Behaviours({ profile, rows }: { readonly profile: string; readonly rows: readonly TestedBehaviour[] }) {
  const [shown, more] = useMany(rows);
  return (
    <ScrollBox class="t-scroll-x" label={`Behaviours of ${safe(profile, 80)}`}>
      <table class="coverage-table" aria-label={safe(profile, 80)}>
        <thead>
          <tr>
            {['what', 'name', 'declared at', 'exercised by'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((each) => (
            <tr key={`${each.kind} ${each.id} ${placeText(each.at)}`} class={each.tests === 0 ? 'coverage-missing' : ''}>
              <td class="faint">{each.kind === 'strategies' ? 'strategy' : each.kind.slice(0, -1)}</td>
              <th scope="row">
                <code>{safe(each.id, 120)}</code>
              </th>
              <td class="mono">{placeText(each.at)}</td>
              <td>
                <By behaviour={each} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {more}
    </ScrollBox>
  );
}

function By({ behaviour: { tests, by } }: { readonly behaviour: TestedBehaviour }) {
  if (tests === 0) return <span class="tone-bad">no test</span>;
  const rest = tests - 1;
  const [first] = by;
  const all = by.map(({ name, at }) => `${safe(name, 120)} (${placeText(at)})`).join('\n');
  return (
    <span title={all}>
      {safe(first?.name ?? '', 120)} {first !== undefined && <span class="faint mono">{placeText(first.at)}</span>}
      {rest > 0 && <span class="faint"> and {countText(rest, 'more test')}</span>}
    </span>
  );
}
