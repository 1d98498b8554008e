import { waitsForYou } from '../../src/inspect/run-words.ts';
import { isForPerson } from '../../src/inspect/timeline/timeline-bar.ts';
import type { TimelineRow } from '../../src/inspect/timeline/timeline.ts';
import { countText } from '../../src/inspect/format/text/quantity-text.ts';
import { lineOf } from '../kit/line-of.ts';
import { Badge } from '../kit/badge.tsx';
import { Name } from '../kit/name.tsx';
import { runHref, turnHref } from '../routing/route.ts';
import type { BlockMark, RowMark, TurnMark } from './row-marks.ts';
import { toX, type TimeScale } from './time-scale.ts';
import { turnName } from './turn-words.ts';
import './timeline-rows.css';

/** Properties of a row. */
export interface TimelineRowProps {
  readonly agent: TimelineRow;
  readonly row: number;
  readonly rows: number;
  readonly top: number;
  readonly marks: readonly RowMark[];
  readonly scale: TimeScale;
  readonly now: number;
  readonly runId: string;
  /** Turn with the keyboard focus. */
  readonly current: string | undefined;
  readonly selected: string | undefined;
  readonly isMarked: boolean;
  readonly zoomTo: (from: number, to: number) => void;
}

/** Row of one agent: its name and its turns. */
export function TimelineRowView(props: TimelineRowProps) {
  const { agent, row, rows, top, marks, runId, isMarked, zoomTo } = props;
  const about = [agent.profile, ...(agent.roleName === undefined ? [] : [agent.roleName])]
    .map((text) => lineOf(text, 60))
    .join(', ');
  return (
    <div
      class={`timeline-row ${isMarked ? 'is-marked' : ''}`}
      role="listitem"
      aria-setsize={rows}
      aria-posinset={row + 1}
      data-agent={agent.agentId}
      style={{ top: `${top}px` }}
    >
      <div class="timeline-row-label" style={{ paddingLeft: `${10 + Math.min(agent.depth, 6) * 12}px` }}>
        <a class="timeline-row-name" href={runHref(runId, 'turns', { agent: agent.agentId })} tabIndex={-1} title="its turns">
          <Name text={agent.agentId} />
        </a>
        <span class="timeline-row-about faint" title={about}>
          {lineOf(agent.roleName ?? agent.profile, 60)}
        </span>
        <Badge status={agent.outcome ?? agentStatus(agent)} />
      </div>
      <div
        class="timeline-row-marks"
        role="group"
        aria-label={`${countText(agent.bars.length, 'turn')} of ${lineOf(agent.agentId, 60)}`}
      >
        {marks.map((mark) =>
          mark.kind === 'turn' ? (
            <TurnBar key={mark.bar.turnId} mark={mark} {...props} />
          ) : (
            <Block key={`block ${mark.first.turnId}`} mark={mark} zoomTo={zoomTo} />
          ),
        )}
      </div>
    </div>
  );
}

/** Returns the status of an agent; `waits for you` when all its open calls wait for a person. */
function agentStatus({ status, bars }: TimelineRow): string {
  const last = bars.at(-1);
  return status === 'awaiting_tools' && last !== undefined && isForPerson(last) ? waitsForYou : status;
}

function TurnBar({ mark, agent, scale, now, runId, current, selected }: { readonly mark: TurnMark } & TimelineRowProps) {
  const { bar, number, x, width, waited, calls } = mark;
  return (
    <a
      class={`bar is-${bar.status} ${isForPerson(bar) ? 'is-for-person' : ''} ${bar.turnId === selected ? 'is-selected' : ''}`}
      href={turnHref(runId, bar.turnId)}
      data-turn={bar.turnId}
      tabIndex={bar.turnId === current ? 0 : -1}
      aria-label={turnName(bar, number, agent.agentId, now)}
      aria-current={bar.turnId === selected ? 'true' : undefined}
      style={{ left: `${x}px`, width: `${width}px`, backgroundImage: partsImage(mark, scale, now) }}
    >
      {waited >= 1 && <i class="bar-wait" style={{ width: `${waited}px` }} />}
      {calls.map(({ call, x: left, width: callWidth, row }) => (
        <i
          key={call.callId}
          class={`bar-call is-${call.status} ${call.waitsFor === 'person' ? 'is-for-person' : ''}`}
          data-call={call.callId}
          style={{ left: `${left}px`, width: `${callWidth}px`, marginTop: `${row * 4}px` }}
        />
      ))}
    </a>
  );
}

/** Returns the parts of a turn as a gradient of its bar: one element, however many parts. */
function partsImage({ bar, x, width }: TurnMark, scale: TimeScale, now: number): string {
  const stops: string[] = [];
  let at = 0;
  for (const part of bar.parts) {
    if (part.kind === 'wait') continue;
    const from = Math.max(at, toX(scale, part.from) - x);
    const to = Math.min(width, toX(scale, part.to ?? now) - x);
    if (to <= from) continue;
    if (from > at) stops.push(`transparent ${at.toFixed(1)}px ${from.toFixed(1)}px`);
    stops.push(`var(--part-${part.kind}) ${from.toFixed(1)}px ${to.toFixed(1)}px`);
    at = to;
  }
  if (stops.length === 0) return 'none';
  return `linear-gradient(90deg, ${[...stops, `transparent ${at.toFixed(1)}px`].join(', ')})`;
}

function Block({ mark, zoomTo }: { readonly mark: BlockMark; readonly zoomTo: TimelineRowProps['zoomTo'] }) {
  const { first, last, count, failed, x, width } = mark;
  const name = `${countText(count, 'turn')}${failed === 0 ? '' : `, ${failed} failed`}: zoom in`;
  return (
    <button
      type="button"
      class={`block ${failed === 0 ? '' : 'is-error'}`}
      tabIndex={-1}
      aria-label={name}
      title={name}
      style={{ left: `${x}px`, width: `${width}px`, opacity: 0.45 + Math.min(0.55, count / 12) }}
      onClick={() => zoomTo(first.from, last.to ?? last.from)}
    />
  );
}
