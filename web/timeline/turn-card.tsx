import { useLayoutEffect, useRef } from 'preact/hooks';
import { toTurnRow } from '../../src/inspect/turn-list.ts';
import { isForPerson } from '../../src/inspect/timeline/timeline-bar.ts';
import { waitsForYou } from '../../src/inspect/run-words.ts';
import { costText, countText, durationText, tokensText } from '../../src/inspect/format/text/quantity-text.ts';
import { Badge } from '../kit/badge.tsx';
import { lineOf } from '../kit/line-of.ts';
import { useView } from '../run/page-run.ts';
import { sinceStart } from './time-ticks.ts';
import type { TurnPlace } from './turn-places.ts';
import { partMs, partTimes, partWords } from './turn-words.ts';
import './turn-card.css';

/** Details of a turn and the durations of its parts, beside its bar. */
export function TurnCard(props: {
  readonly place: TurnPlace;
  readonly origin: number;
  readonly now: number;
  /** Returns the bounds of the bar, relative to the card's container. */
  readonly anchor: () => DOMRect | undefined;
}) {
  const { place, origin, now, anchor } = props;
  const { bar, agent, index } = place;
  const element = useRef<HTMLDivElement>(null);
  const row = useView(
    (run) => {
      const turn = run.turns.get(bar.turnId);
      return turn === undefined ? undefined : toTurnRow(run, turn);
    },
    [bar.turnId],
  ).value;
  useLayoutEffect(() => {
    if (element.current !== null) put(element.current, anchor());
  });
  const shown = bar.calls.slice(0, 6);
  return (
    <div ref={element} class="turn-card panel" role="tooltip" id="turn-card">
      <p class="turn-card-head">
        <b>
          turn {index + 1} of {lineOf(agent.agentId, 60)}
        </b>
        <Badge status={isForPerson(bar) ? waitsForYou : bar.status} />
      </p>
      <p class="faint number">
        {bar.turnId === `${agent.agentId}.t${index + 1}` ? '' : `${lineOf(bar.turnId, 60)} · `}
        from {sinceStart(bar.from - origin)} · {durationText((bar.to ?? now) - bar.from)}
        {bar.turnType === 'agent' ? '' : ` · ${bar.turnType}`}
      </p>
      <dl class="number">
        {[...partTimes(bar, now)].map(([kind, ms]) => (
          <div key={kind}>
            <dt>
              <i class={`swatch is-${kind}`} /> {partWords[kind]}
            </dt>
            <dd>{durationText(ms)}</dd>
          </div>
        ))}
      </dl>
      {bar.calls.length > 0 && (
        <ul>
          {shown.map((call) => (
            <li key={call.callId}>
              <span class="turn-card-tool">{lineOf(call.name, 40)}</span> <Badge status={call.status} />{' '}
              {call.decided !== undefined && <span class="faint">{lineOf(call.decided, 60)} </span>}
              <span class="faint number">{durationText(partMs(call, now))}</span>
            </li>
          ))}
          {bar.calls.length > shown.length && <li class="faint">and {countText(bar.calls.length - shown.length, 'more call')}</li>}
        </ul>
      )}
      {row !== undefined && (
        <>
          {row.sources.length > 0 && <p class="faint">woke on {lineOf([...new Set(row.sources)].join(', '), 120)}</p>}
          <p class="faint number">
            {tokensText(row.inputTokens, row.outputTokens)} tokens{typeof row.cost !== 'number' ? '' : ` · ${costText(row.cost)}`}
            {row.attempts > 1 ? ` · ${row.attempts} attempts` : ''}
          </p>
          {row.error !== undefined && <p class="tone-bad">{lineOf(row.error, 160)}</p>}
          {row.reply !== '' && <p class="turn-card-reply">{lineOf(row.reply, 160)}</p>}
        </>
      )}
    </div>
  );
}

/** Places the card below the bar if there is room, else above it; always inside the window. */
function put(card: HTMLElement, bar: DOMRect | undefined): void {
  if (bar === undefined) return;
  const { offsetWidth, offsetHeight } = card;
  const below = bar.bottom + 14;
  const top = below + offsetHeight < innerHeight ? below : Math.max(4, bar.top - offsetHeight - 8);
  const left = Math.min(Math.max(8, bar.left), Math.max(8, document.documentElement.clientWidth - offsetWidth - 8));
  card.style.transform = `translate(${left}px, ${top}px)`;
}
