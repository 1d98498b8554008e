import { contentText } from '../../src/core/prompt/message.ts';
import { posterOf } from '../../src/core/inbox/poster.ts';
import type { TurnInputView } from '../../src/inspect/turn/turn-inputs.ts';
import type { TurnRecord } from '../../src/inspect/turn/turn-record.ts';
import { countText } from '../../src/inspect/format/text/quantity-text.ts';
import { safe } from '../kit/safe.ts';
import { useMany } from '../kit/use-many.tsx';
import { useRun } from '../run/page-run.ts';
import { ContentView, Json } from './parts.tsx';
import { Section } from './section.tsx';

/** The inbox items the turn read, in order. */
export function ItemsSection({ record }: { readonly record: TurnRecord }) {
  const { inputs } = record;
  return (
    <Section name="items" note={countText(inputs.length, 'item')} copy={() => inputs}>
      {() => <Items inputs={inputs} />}
    </Section>
  );
}

function Items({ inputs }: { readonly inputs: readonly TurnInputView[] }) {
  const [shown, more] = useMany(inputs);
  return (
    <>
      <ol class="t-cards">
        {shown.map((input, index) => (
          <li key={input.itemId} class="t-card">
            <Item input={input} place={index + 1} />
          </li>
        ))}
      </ol>
      {more}
    </>
  );
}

function Item({ input, place }: { readonly input: TurnInputView; readonly place: number }) {
  const { eventAt } = useRun();
  const poster = input.callId === undefined ? posterOf(input, eventAt(input.seq)) : `call ${input.callId}`;
  const isEmpty = contentText(input.content) === '' && typeof input.content === 'string';
  return (
    <>
      <h4 class="t-card-head">
        <span class="number faint">{place}</span> <code>{safe(input.source, 80)}</code>
        <span class="t-chip">priority {input.priority}</span>
        <span class="t-chip">{input.persistent ? 'kept in memory' : 'this turn only'}</span>
        {input.untrusted === true && <span class="t-chip tone-waits">untrusted</span>}
        {input.cleaned !== undefined && <span class="t-chip tone-waits">{input.cleaned} invisible characters removed</span>}
        {input.kept === true && <span class="t-chip">stays in the inbox</span>}
        {input.mode === 'prepend_to_role' && <span class="t-chip">before the last message</span>}
        {input.isError === true && <span class="t-chip tone-bad">an error</span>}
      </h4>
      <p class="small faint">
        posted by {safe(poster)} · item {safe(input.itemId)} · ingestor {safe(input.ingestor)}, {strategies[input.strategy]} →{' '}
        {input.role} text
      </p>
      {isEmpty ? (
        <p class="faint">It produced no text.</p>
      ) : (
        <ContentView content={input.content} label={`Ingested text of ${input.source}`} />
      )}
      <details class="t-more">
        <summary>raw payload</summary>
        <Json value={input.payload} label="Raw payload" />
      </details>
    </>
  );
}

const strategies: Readonly<Record<TurnInputView['strategy'], string>> = {
  profile: 'by a strategy of the profile',
  global: 'by the strategy of all profiles',
  fallback: 'by the fallback strategy',
  item: 'as the item says',
};
