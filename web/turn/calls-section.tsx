import { useState } from 'preact/hooks';
import type { ToolInteraction } from '../../src/inspect/turn/tool-interactions.ts';
import type { TurnRecord } from '../../src/inspect/turn/turn-record.ts';
import { gateText, verdictWords } from '../../src/inspect/format/turn/gate-text.ts';
import { decidingGate } from '../../src/inspect/turn/turn-judgements.ts';
import { countText, durationText } from '../../src/inspect/format/text/quantity-text.ts';
import { verdictText } from '../../src/inspect/verdict-text.ts';
import { Badge } from '../kit/badge.tsx';
import { safe } from '../kit/safe.ts';
import { ScrollBox } from '../kit/scroll-box.tsx';
import { Text } from '../kit/text.tsx';
import { Time } from '../kit/time.tsx';
import { toVisibleText } from '../kit/visible-text.ts';
import { useMany } from '../kit/use-many.tsx';
import { useRun, useView } from '../run/page-run.ts';
import { ContentView, ErrorLine, Json } from './parts.tsx';
import { Section } from './section.tsx';
import { TextLines } from './reply-section.tsx';

/** The tool calls, from arguments to results. */
export function CallsSection({ record }: { readonly record: TurnRecord }) {
  const calls = record.toolInteractions;
  if (calls.length === 0) return null;
  const bad = calls.filter(({ status }) => status === 'error' || status === 'timeout' || status === 'unknown').length;
  return (
    <Section name="calls" note={`${countText(calls.length, 'call')}${bad === 0 ? '' : `, ${bad} failed`}`} copy={() => calls}>
      {() => <Calls record={record} />}
    </Section>
  );
}

function Calls({ record }: { readonly record: TurnRecord }) {
  const [shown, more] = useMany(record.toolInteractions);
  return (
    <>
      <ol class="t-cards">
        {shown.map((call) => (
          <li key={call.callId} class="t-card">
            <Call call={call} record={record} />
          </li>
        ))}
      </ol>
      {more}
    </>
  );
}

function Call({ call, record }: { readonly call: ToolInteraction; readonly record: TurnRecord }) {
  const { callId, providerCallId, name, args, changedArgs, repaired, attempt, approved, waitFor, ms, error, progress } = call;
  const place = record.reply.toolCalls.findIndex((asked) => asked.callId === callId);
  const sent = record.reply.toolCalls[place]?.input;
  const latest = useRun().live.progress.value.get(callId);
  return (
    <>
      <h4 class="t-card-head">
        <code>{safe(name, 120)}</code> <Badge status={call.status} />
        <span class="small number faint">{ms === undefined ? 'not ended' : durationText(ms)}</span>
        {approved && <span class="t-chip tone-good">approved by a person</span>}
        {repaired && <span class="t-chip tone-waits">arguments repaired</span>}
        {attempt > 1 && <span class="t-chip">attempt {attempt}</span>}
        {place < 0 && <span class="t-chip">made by a rule</span>}
      </h4>
      <p class="small faint">
        call {safe(callId)}
        {providerCallId !== '' && `, provider's id ${safe(providerCallId, 80)}`}
      </p>
      {call.verdict !== undefined && <p class="small">{toVisibleText(verdictText(call.verdict))}</p>}
      {waitFor !== undefined && call.endedAt === undefined && <p class="tone-waits">{waitText(waitFor)}</p>}
      <Gates gates={call.gates} />
      <div class="t-in-out">
        <div>
          <h5>in</h5>
          {sent === undefined ? (
            <Json value={args} label="Arguments" />
          ) : (
            <Sent call={place} sent={sent} args={args} repaired={repaired} />
          )}
          {changedArgs !== undefined && (
            <>
              <h5>changed by {toVisibleText(call.verdict?.by ?? 'a person')} to</h5>
              <Json value={changedArgs} label="Arguments it ran with" />
            </>
          )}
        </div>
        <div>
          <h5>out</h5>
          {progress.map((note, index) => (
            <Progress key={index} fraction={note.fraction} note={note.note} />
          ))}
          {call.endedAt === undefined && latest !== undefined && <Progress fraction={latest.fraction} note={latest.note} />}
          {call.content === undefined ? (
            <p class="faint">Nothing yet.</p>
          ) : (
            <ContentView content={call.content} label="Output" asJson />
          )}
          {call.full !== undefined && <FullOutput hash={call.full} />}
          {error !== undefined && <ErrorLine error={error} />}
          {call.isRunning && <p class="tone-waits">Its tool had not ended, and has not reported since.</p>}
          {call.late !== undefined && <Late late={call.late} />}
        </div>
      </div>
    </>
  );
}

/** What the tool reported after the call was over. */
function Late({ late: { status, content, error, at } }: { readonly late: NonNullable<ToolInteraction['late']> }) {
  return (
    <>
      <h5>
        late <Badge status={status} /> <Time at={at} />
      </h5>
      {error === undefined ? <ContentView content={content} label="Late output" asJson /> : <ErrorLine error={error} />}
    </>
  );
}

/** The gates that are about the tool, in order: what came of each, and the values its condition read. */
function Gates({ gates }: Pick<ToolInteraction, 'gates'>) {
  if (gates.length === 0) return null;
  const decided = decidingGate(gates);
  const says = decided === undefined ? 'none matched' : `${safe(decided.id, 80)} ${verdictWords[decided.verdict]}`;
  return (
    <details class="t-more" open={decided !== undefined && decided.verdict !== 'allow'}>
      <summary>
        {countText(gates.length, 'gate')}: {says}
      </summary>
      <ul class="small">
        {gates.map((gate) => (
          <li key={gate.id} class={gate.error !== undefined ? 'tone-bad' : gate.matched ? '' : 'faint'}>
            {gateText(gate)}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Maximum length of arguments shown on one line, in characters. */
const longLine = 160;

/** Arguments as the model sent them, line by line, and as parsed where that differs. */
function Sent({
  call,
  sent,
  args,
  repaired,
}: {
  readonly call: number;
  readonly sent: string;
  readonly args: ToolInteraction['args'];
  readonly repaired: boolean;
}) {
  return (
    <>
      <TextLines text={sent} where="tool_call" call={call} label="Arguments as they were sent" look="from-tool_call" />
      {args === null && <p class="tone-bad small">They were not valid.</p>}
      {args !== null && (
        <details class="t-more" open={repaired || sent.length > longLine}>
          <summary>{repaired ? 'repaired to' : 'as JSON'}</summary>
          <Json value={args} label="Arguments as JSON" />
        </details>
      )}
    </>
  );
}

function Progress({ fraction, note }: { readonly fraction: number; readonly note: string }) {
  return (
    <p class="small faint">
      <progress max={1} value={fraction} aria-label={safe(note)} /> {Math.round(fraction * 100)} % {safe(note)}
    </p>
  );
}

function FullOutput({ hash }: { readonly hash: NonNullable<ToolInteraction['full']> }) {
  const [isAsked, ask] = useState(false);
  return (
    <>
      <p class="small tone-waits">
        The model saw a part of it.{' '}
        {!isAsked && (
          <button type="button" class="quiet" onClick={() => ask(true)}>
            show the whole output
          </button>
        )}
      </p>
      {isAsked && <Whole hash={hash} />}
    </>
  );
}

function Whole({ hash }: { readonly hash: NonNullable<ToolInteraction['full']> }) {
  const store = useRun();
  const text = useView(() => store.contents.read(hash), [hash]).value;
  if (text !== undefined)
    return (
      <ScrollBox class="t-clip">
        <Text value={text} label="The whole output" />
      </ScrollBox>
    );
  return <p class="faint">{store.contents.isMissing(hash) ? 'Loading…' : 'It is not stored here.'}</p>;
}

function waitText(waitFor: NonNullable<ToolInteraction['waitFor']>): string {
  switch (waitFor.kind) {
    case 'agents':
      return `Waits for ${waitFor.agentIds.map((id) => safe(id, 80)).join(', ')}`;
    case 'question':
      return `Waits for an answer to: ${safe(waitFor.prompt, 1_000)}`;
    case 'approval':
      return `Waits for approval (gate ${safe(waitFor.gateId, 80)})${waitFor.message === undefined ? '' : `: ${safe(waitFor.message, 1_000)}`}`;
  }
}
