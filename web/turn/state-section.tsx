import type { TurnRecord } from '../../src/inspector/turn-record.ts';
import { countText } from '../../src/inspector/format/quantity-text.ts';
import { safe } from '../kit/safe.ts';
import { Text } from '../kit/text.tsx';
import { useMany } from '../kit/use-many.tsx';
import { Section } from './section.tsx';

/** The changes of agent and team state that the turn made. */
export function StateSection({ record }: { readonly record: TurnRecord }) {
  const { stateChanges } = record;
  if (stateChanges.length === 0) return null;
  return (
    <Section name="state" note={countText(stateChanges.length, 'change')} copy={() => stateChanges}>
      {() => <Changes changes={stateChanges} />}
    </Section>
  );
}

function Changes({ changes }: { readonly changes: TurnRecord['stateChanges'] }) {
  const [shown, more] = useMany(changes);
  return (
    <div class="t-scroll-x">
      <table>
        <thead>
          <tr>
            <th scope="col">Where</th>
            <th scope="col">Path</th>
            <th scope="col">What</th>
            <th scope="col">Value</th>
            <th scope="col">By</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ seq, scope, path, operation, value, by }) => (
            <tr key={seq}>
              <td>{scope}</td>
              <th scope="row">
                <code>{safe(path, 120)}</code>
              </th>
              <td>{operation}</td>
              <td>{value !== undefined && <Text value={JSON.stringify(value)} label={`New value of ${safe(path, 120)}`} />}</td>
              <td>{by !== undefined && <code>{safe(by, 80)}</code>}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {more}
    </div>
  );
}
