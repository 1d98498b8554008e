import type { SegmentView } from '../../src/inspect/turn/system-prompt.ts';
import type { TurnRecord } from '../../src/inspect/turn/turn-record.ts';
import { countText, shareText } from '../../src/inspect/format/text/quantity-text.ts';
import { grouped } from '../../src/inspect/format/text/terminal-text.ts';
import { useView } from '../run/page-run.ts';
import { placeText, safe } from '../kit/safe.ts';
import { ScrollBox } from '../kit/scroll-box.tsx';
import { Text } from '../kit/text.tsx';
import { useMany } from '../kit/use-many.tsx';
import { ErrorLine } from './parts.tsx';
import { Section } from './section.tsx';

/** The system prompt by segment: rendered or not, the reason, and its share of the prompt. */
export function SystemSection({ record }: { readonly record: TurnRecord }) {
  const { segments } = record.systemPrompt;
  if (segments.length === 0) return null;
  const tokens = segments.reduce((sum, segment) => sum + segment.tokens, 0);
  const left = segments.filter(({ text }) => text === '').length;
  const note = `${countText(segments.length - left, 'segment')}, about ${countText(tokens, 'token')}${left === 0 ? '' : `; ${left} left out`}`;
  return (
    <Section name="system" note={note} copy={() => segments}>
      {() => <Segments record={record} />}
    </Section>
  );
}

function Segments({ record }: { readonly record: TurnRecord }) {
  const [shown, more] = useMany(record.systemPrompt.segments);
  return (
    <>
      <ol class="t-segments">
        {shown.map((segment) => (
          <li key={segment.id}>
            <Segment segment={segment} profile={record.profile} />
          </li>
        ))}
      </ol>
      {more}
    </>
  );
}

function Segment({ segment, profile }: { readonly segment: SegmentView; readonly profile: string }) {
  const { id, type, text, share, tokens, condition, conditionMet, source, error, missing } = segment;
  const wrapper = useView(
    (_, store) => store.profiles?.get(profile)?.segments.find((known) => known.id === id)?.wrapperTags,
    [profile, id],
  ).value;
  const isShown = text !== '';
  return (
    <details class={isShown ? 't-segment' : 't-segment faint'}>
      <summary>
        <span class="t-segment-name">
          <code>{safe(id, 80)}</code> <span class="small faint">{safe(type, 40)}</span>
        </span>
        <span class="t-share" aria-hidden="true">
          <span style={{ inlineSize: `${Math.max(share * 100, isShown ? 1 : 0)}%` }} />
        </span>
        <span class="small number t-segment-size">
          {isShown ? `${shareText(share)} · ${grouped(tokens)} tokens` : 'not rendered'}
        </span>
        <span class="small t-segment-why">
          {condition !== undefined && (
            <>
              <code>{safe(condition)}</code> {conditionMet ? 'met' : 'not met'}
            </>
          )}
          {source !== undefined && <span class="faint t-segment-place">{placeText(source)}</span>}
        </span>
      </summary>
      {error !== undefined && <ErrorLine error={error} />}
      {missing === true && <p class="tone-waits">Its text is not here.</p>}
      <p class="small faint">
        order {segment.order}
        {wrapper !== undefined && (
          <>
            , wrapped in <code>{safe(wrapper.join(' … '))}</code>
          </>
        )}
      </p>
      {isShown && (
        <ScrollBox class="t-clip">
          <Text value={text} label={`Segment ${safe(id, 80)}`} />
        </ScrollBox>
      )}
    </details>
  );
}
