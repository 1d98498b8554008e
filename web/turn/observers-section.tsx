import type { ObserverResultView } from '../../src/inspect/turn/turn-judgements.ts';
import type { TurnRecord } from '../../src/inspect/turn/turn-record.ts';
import { placeText, safe } from '../kit/safe.ts';
import { ScrollBox } from '../kit/scroll-box.tsx';
import { ErrorLine } from './parts.tsx';
import { Section } from './section.tsx';

/** The observers of one phase, fired or not. */
export function ObserversSection({ record, phase }: { readonly record: TurnRecord; readonly phase: ObserverResultView['phase'] }) {
  const observers = record.observers.filter((observer) => observer.phase === phase);
  if (observers.length === 0) return null;
  const fired = observers.filter((observer) => observer.fired).length;
  return (
    <Section
      name={phase === 'pre' ? 'before' : 'after'}
      note={`${fired} of ${observers.length} fired`}
      isOpen={observers.some((observer) => observer.fired || observer.error !== undefined)}
      copy={() => observers}
    >
      {() => (
        <ScrollBox class="t-scroll-x">
          <table>
            <thead>
              <tr>
                <th scope="col">Observer</th>
                <th scope="col">Result</th>
                <th scope="col">Condition</th>
                <th scope="col">Value</th>
                <th scope="col">Does</th>
                <th scope="col">Declared at</th>
              </tr>
            </thead>
            <tbody>
              {observers.map((observer) => (
                <Observer key={observer.id} observer={observer} record={record} />
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </Section>
  );
}

function Observer({ observer, record }: { readonly observer: ObserverResultView; readonly record: TurnRecord }) {
  const { id, fired, error, condition, value, action, tools, declaredAt } = observer;
  const verdict = error === undefined ? (fired ? 'fired' : 'not fired') : 'failed';
  return (
    <tr>
      <th scope="row">
        <code>{safe(id, 80)}</code>
      </th>
      <td class={error === undefined ? (fired ? 'tone-good' : 'faint') : 'tone-bad'}>{verdict}</td>
      <td>
        {condition === undefined ? <span class="faint">always</span> : <code>{safe(condition)}</code>}
        {error !== undefined && <ErrorLine error={error} />}
      </td>
      <td>{value !== undefined && <code>{safe(JSON.stringify(value))}</code>}</td>
      <td>
        {action?.replaceAll('_', ' ')}
        {tools !== undefined && <code> {safe(JSON.stringify(tools))}</code>}
        {fired && <Did id={id} record={record} />}
      </td>
      <td class="small faint">{declaredAt !== undefined && placeText(declaredAt)}</td>
    </tr>
  );
}

/** Effects of an observer on this turn's record: posted items and changed state. */
function Did({ id, record }: { readonly id: string; readonly record: TurnRecord }) {
  const items = record.inputs.filter((input) => input.observerId === id).map((input) => input.source);
  const changes = record.stateChanges.filter(({ by }) => by === id).map(({ scope, path }) => `${scope} ${path}`);
  const done = [...items, ...changes];
  return done.length === 0 ? null : <span class="faint"> → {done.map((what) => safe(what, 80)).join(', ')}</span>;
}
