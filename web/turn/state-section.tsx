import type { JsonValue } from '../../src/core/json.ts';
import type { StateChangeView } from '../../src/core/patches/state-changes.ts';
import type { TurnRecord } from '../../src/inspect/turn/turn-record.ts';
import { countText } from '../../src/inspect/format/text/quantity-text.ts';
import { JsonView } from '../kit/json-view.tsx';
import { safe } from '../kit/safe.ts';
import { ScrollBox } from '../kit/scroll-box.tsx';
import { useMany } from '../kit/use-many.tsx';
import { Section } from './section.tsx';

/** The changes of agent and team state in the turn. */
export function StateSection({ record }: { readonly record: TurnRecord }) {
  const { stateChanges } = record;
  if (stateChanges.length === 0) return null;
  return (
    <Section name="state" note={countText(stateChanges.length, 'change')} copy={() => stateChanges}>
      {() => <StateChanges changes={stateChanges} />}
    </Section>
  );
}

/** A table of changes, with old and new values. */
export function StateChanges({ changes }: { readonly changes: readonly (StateChangeView & { readonly turnId?: string })[] }) {
  const [shown, more] = useMany(changes);
  const isOfTurns = changes.some(({ turnId }) => turnId !== undefined);
  return (
    <ScrollBox class="t-scroll-x">
      <table>
        <thead>
          <tr>
            {isOfTurns && <th scope="col">Turn</th>}
            <th scope="col">Path</th>
            <th scope="col">Before</th>
            <th scope="col">Now</th>
            <th scope="col">By</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ turnId, path, operation, before, value, isOld, by }, index) => (
            <tr key={index}>
              {isOfTurns && <td>{safe(turnId ?? '', 80)}</td>}
              <th scope="row">
                <code>{safe(path, 120)}</code>
              </th>
              <td>{isOld === true ? `(${operation})` : <Value value={before} label={`${safe(path, 120)} before`} />}</td>
              <td>
                <Value value={value} label={`${safe(path, 120)} now`} />
              </td>
              <td>{by !== undefined && <code>{safe(by, 80)}</code>}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {more}
    </ScrollBox>
  );
}

function Value({ value, label }: { readonly value: JsonValue | undefined; readonly label: string }) {
  return value === undefined ? <>–</> : <JsonView value={value} label={label} />;
}
