import { useMemo } from 'preact/hooks';
import type { TurnRecord } from '../../src/inspect/turn/turn-record.ts';
import type { WhyPlace } from '../../src/inspect/why/why-place.ts';
import type { LiveReply } from '../data/live-replies.ts';
import { lineCutter } from '../kit/line-ranges.ts';
import { safe } from '../kit/safe.ts';
import { Text } from '../kit/text.tsx';
import { useRun } from '../run/page-run.ts';
import { Lines } from './lines.tsx';
import { FileView } from './parts.tsx';
import { Section } from './section.tsx';

/** Reasoning and text of the model's reply, live while it is written. */
export function ReplySection({ record }: { readonly record: TurnRecord }) {
  const live = useRun().live.replies.value.get(record.turnId);
  const { reply } = record;
  // Attempts of a call under way may be on record already.
  const isOpen = record.status === 'running' && reply.finishReason === undefined && record.error === undefined;
  if (live !== undefined && isOpen) return <LiveSection live={live} />;
  const waits = isOpen && record.prompt.spans.length > 0;
  if (reply.finishReason === undefined && !waits) return null;
  return (
    <Section name="reply" note={waits ? 'pending' : replyNote(record)} copy={() => reply}>
      {() => (waits ? <p class="faint">The model has not answered yet.</p> : <Said record={record} />)}
    </Section>
  );
}

function replyNote({ reply }: TurnRecord): string {
  const model = reply.modelId === undefined ? '' : `, model ${safe(reply.modelId, 80)}`;
  return `${reply.finishReason ?? 'none'}${model}`;
}

function Said({ record }: { readonly record: TurnRecord }) {
  const { reply } = record;
  const isEmpty = reply.text === '' && reply.toolCalls.length === 0 && reply.files.length === 0;
  return (
    <>
      {reply.reasoning !== '' && (
        <details class="t-more" open={reply.reasoning.length < 4_000}>
          <summary>reasoning</summary>
          <TextLines text={reply.reasoning} where="reasoning" label="Reasoning" look="from-reasoning" />
        </details>
      )}
      {reply.text !== '' && <TextLines text={reply.text} where="reply" label="Reply" look="from-reply" />}
      {isEmpty && <p class="tone-bad">The reply is empty.</p>}
      {reply.files.map((file, index) => (
        <FileView key={index} file={file} />
      ))}
      {reply.said !== undefined && (
        <details class="t-more">
          <summary>original reply, from which the calls were parsed</summary>
          <Text value={reply.said} label="Original reply" />
        </details>
      )}
    </>
  );
}

/** A text of the reply, by lines. */
export function TextLines({
  text,
  where,
  call,
  label,
  look,
}: {
  readonly text: string;
  readonly where: WhyPlace['where'];
  readonly call?: number;
  readonly label: string;
  readonly look: string;
}) {
  const rows = useMemo(() => lineCutter(text)(0, text.length), [text]);
  const ofCall = call === undefined ? {} : { call };
  return <Lines text={text} rows={rows} where={where} {...ofCall} label={label} look={() => ({ class: look })} />;
}

function LiveSection({ live }: { readonly live: LiveReply }) {
  return (
    <Section name="reply" note={live.attempt > 1 ? `attempt ${live.attempt}, live` : 'live'}>
      {() => (
        <div class="t-live" aria-busy="true">
          {live.superseded.map((text, index) => (
            <details key={index} class="t-more">
              <summary class="faint">attempt {index + 1} failed; its text</summary>
              <Text value={text} label={`Attempt ${index + 1}, failed`} />
            </details>
          ))}
          {live.reasoning !== '' && (
            <div class="faint">
              <Text value={live.reasoning} label="Reasoning, live" />
            </div>
          )}
          <Text value={live.text} label="Reply, live" />
          {live.toolInput !== '' && <Text value={live.toolInput} label="Arguments, live" />}
          <span class="t-caret" aria-hidden="true" />
        </div>
      )}
    </Section>
  );
}
