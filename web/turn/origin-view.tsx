import type { ComponentChildren } from 'preact';
import type { SourceRef } from '../../src/core/profile/source-ref.ts';
import { profileExcerpt } from '../../src/inspect/turn/profile-line.ts';
import type { CallRef, ItemRefView, TextOrigin } from '../../src/inspect/why/text-origin.ts';
import { Pairs } from '../kit/pairs.tsx';
import { placeText, safe } from '../kit/safe.ts';
import { ScrollBox } from '../kit/scroll-box.tsx';
import { toVisibleText } from '../kit/visible-text.ts';
import { turnHref } from '../routing/route.ts';
import { useRun, useView } from '../run/page-run.ts';
import { Json } from './parts.tsx';
import type { TurnSection } from './sections.ts';
import { leave } from './trail.ts';

/** A link that remembers the place it was followed from. */
export function TrailLink({
  turnId,
  section,
  from,
  children,
}: {
  readonly turnId: string;
  readonly section?: TurnSection;
  readonly from: string;
  readonly children?: ComponentChildren;
}) {
  const { runId } = useRun();
  return (
    <a href={turnHref(runId, turnId, section === undefined ? {} : { section })} onClick={() => leave(from)}>
      {children ?? safe(turnId, 80)}
    </a>
  );
}

/** Origin of a piece of text; `from` describes the place that links are followed from. */
export function OriginView({ origin, from }: { readonly origin: TextOrigin; readonly from: string }) {
  switch (origin.kind) {
    case 'segment':
      return (
        <Pairs
          pairs={{
            'a segment': <code>{safe(origin.segmentId)}</code>,
            'of profile': safe(origin.profile),
            type: origin.segmentType.replaceAll('_', ' '),
            at: origin.source !== undefined && <Place source={origin.source} />,
            condition: origin.condition !== undefined && <code>{safe(origin.condition)}</code>,
            'text definition': origin.contentKey !== undefined && safe(origin.contentKey),
            'value of': origin.path !== undefined && <code>{safe(origin.path)}</code>,
            ingestor: origin.ingestor !== undefined && safe(origin.ingestor),
          }}
        />
      );
    case 'item':
      return <Item item={origin} from={from} what="an inbox item" />;
    case 'handover':
      return (
        <>
          <Pairs
            pairs={{
              'a handover': origin.fromAgentId === undefined ? 'from an unknown agent' : `from ${safe(origin.fromAgentId)}`,
              by: origin.call !== undefined && <Call call={origin.call} from={from} />,
            }}
          />
          <Item item={origin} from={from} what="inbox item" />
        </>
      );
    case 'tool_result':
      return (
        <>
          <Pairs
            pairs={{
              'a tool result': origin.call === undefined ? 'of an unknown call' : <Call call={origin.call} from={from} />,
            }}
          />
          {origin.item !== undefined && <Item item={origin.item} from={from} what="inbox item" />}
        </>
      );
    case 'tool_call':
      return (
        <Pairs pairs={{ 'arguments of': origin.call === undefined ? 'a tool call' : <Call call={origin.call} from={from} /> }} />
      );
    case 'reply':
    case 'reasoning':
      return (
        <Pairs
          pairs={{
            [origin.kind === 'reply' ? 'a reply' : 'reasoning']: `of ${safe(origin.agentId)}`,
            in: <TrailLink turnId={origin.turnId} section="reply" from={from} />,
          }}
        />
      );
    case 'summary':
    case 'left_out':
      return <Summary origin={origin} from={from} />;
    case 'tool_protocol':
      return (
        <Pairs
          pairs={{
            'the offered tools': 'and how to call them',
            tool_protocol: safe(origin.protocol),
            'LLM config': safe(origin.config),
          }}
        />
      );
    case 'join':
      return <p>A separator added by the engine.</p>;
    case 'unknown':
      return <p>Item {safe(origin.ref)}, which this run does not contain.</p>;
  }
}

function Summary({
  origin,
  from,
}: {
  readonly origin: Extract<TextOrigin, { kind: 'summary' | 'left_out' }>;
  readonly from: string;
}) {
  const { kind, agentId, turnIds } = origin;
  return (
    <Pairs
      pairs={{
        [kind === 'summary' ? 'a summary' : 'a note']: `instead of messages ${origin.from} to ${origin.to - 1} of ${safe(agentId)}`,
        by: origin.llmConfig !== undefined && safe(origin.llmConfig),
        compaction: origin.compactionId !== undefined && safe(origin.compactionId),
        'also covers': origin.coversEarlier === true && 'the summary before them',
        'from turns':
          turnIds.length > 0 &&
          turnIds.map((turnId) => (
            <span key={turnId}>
              <TrailLink turnId={turnId} from={from} />{' '}
            </span>
          )),
      }}
    />
  );
}

function Item({ item, from, what }: { readonly item: ItemRefView; readonly from: string; readonly what: string }) {
  return (
    <>
      <Pairs
        pairs={{
          [what]: (
            <>
              <code>{safe(item.itemSource)}</code> <span class="faint">{safe(item.itemId)}</span>
            </>
          ),
          'posted by': safe(item.postedBy),
          'declared at': item.declaredAt !== undefined && <Place source={item.declaredAt} />,
          'read in': <TrailLink turnId={item.turnId} section="items" from={from} />,
          ingestor: `${safe(item.ingestor)} (${item.strategy} strategy, ${item.persistent ? 'kept in memory' : 'this turn only'})`,
        }}
      />
      <details class="t-more">
        <summary>raw payload</summary>
        <Json value={item.payload} label="Raw payload" />
      </details>
    </>
  );
}

function Call({ call, from }: { readonly call: CallRef; readonly from: string }) {
  return (
    <>
      <code>{safe(call.name, 120)}</code>, asked for in <TrailLink turnId={call.turnId} section="calls" from={from} />
      <span class="faint"> by {safe(call.agentId, 80)}</span>
      <Json value={call.args} label={`Arguments of ${safe(call.name, 80)}`} />
    </>
  );
}

/** A place in a profile, with its surrounding lines. */
function Place({ source }: { readonly source: SourceRef }) {
  const store = useRun();
  const shown = useView((state) => profileExcerpt(state, store.contents.read, source), [source]).value ?? [];
  return (
    <>
      <code class="t-place">{placeText(source)}</code>
      {shown.length > 0 && (
        <ScrollBox class="t-excerpt text" label="Lines of the file">
          {shown.map(({ line, text }) => (
            <div key={line} class={line === source.line ? 't-excerpt-here' : ''}>
              <span class="t-excerpt-number">{line}</span>
              <span>{toVisibleText(text.slice(0, 400)) || ' '}</span>
            </div>
          ))}
        </ScrollBox>
      )}
    </>
  );
}
