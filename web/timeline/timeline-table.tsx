import { useState } from 'preact/hooks';
import type { Timeline, TimelineRow } from '../../src/inspect/timeline/timeline.ts';
import type { TimelineBar, TimelinePart } from '../../src/inspect/timeline/timeline-bar.ts';
import { countText, durationText } from '../../src/inspect/format/text/quantity-text.ts';
import { Badge } from '../kit/badge.tsx';
import { lineOf } from '../kit/line-of.ts';
import { turnHref } from '../routing/route.ts';
import { useRun } from '../run/page-run.ts';
import { sinceStart } from './time-ticks.ts';
import { TableSwitch } from './timeline-toolbar.tsx';
import { partTimes, partWords } from './turn-words.ts';
import './timeline-table.css';

/** Number of rows per page. */
const pageSize = 200;

interface Row {
  readonly agent: TimelineRow;
  readonly bar: TimelineBar;
  readonly number: number;
}

/** The timeline as a table: turns in the order they began. */
export function TimelineTable({ view }: { readonly view: Timeline }) {
  const { runId } = useRun();
  const [page, setPage] = useState(0);
  const rows = view.lanes
    .flatMap((agent) => agent.bars.map((bar, index): Row => ({ agent, bar, number: index + 1 })))
    .toSorted((a, b) => a.bar.from - b.bar.from);
  const pages = Math.ceil(rows.length / pageSize);
  const shown = rows.slice(page * pageSize, (page + 1) * pageSize);
  const causes = causesOf(view);
  return (
    <div class="timeline">
      <div class="timeline-bar">
        <p class="faint number">
          {countText(view.lanes.length, 'agent')}, {countText(rows.length, 'turn')}, {durationText(view.to - view.from)}
        </p>
        {pages > 1 && (
          <div role="group" aria-label="Pages">
            <button type="button" disabled={page === 0} onClick={() => setPage(page - 1)}>
              earlier
            </button>{' '}
            <span class="number">
              {page + 1} of {pages}
            </span>{' '}
            <button type="button" disabled={page >= pages - 1} onClick={() => setPage(page + 1)}>
              later
            </button>
          </div>
        )}
        <TableSwitch isTable />
      </div>
      <div class="table-scroller panel" tabIndex={0} role="region" aria-label="Turns as a table">
        <table>
          <thead>
            <tr>
              {['turn', 'status', 'began after', 'took'].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
              {Object.values(partWords).map((name) => (
                <th key={name} scope="col" class="number">
                  {name}
                </th>
              ))}
              <th scope="col">calls</th>
              <th scope="col">came from</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ agent, bar, number }) => (
              <tr key={bar.turnId}>
                <th scope="row">
                  <a href={turnHref(runId, bar.turnId)}>
                    {lineOf(agent.agentId, 60)} {number}
                  </a>
                </th>
                <td>
                  <Badge status={bar.status} />
                </td>
                <td class="number">{sinceStart(bar.from - view.from)}</td>
                <td class="number">{durationText((bar.to ?? view.to) - bar.from)}</td>
                {partKinds.map((kind) => (
                  <td key={kind} class="number">
                    {partText(bar, kind, view.to)}
                  </td>
                ))}
                <td>
                  {bar.calls.map(({ name, status }) => `${lineOf(name, 40)}${status === 'ok' ? '' : ` (${status})`}`).join(', ')}
                </td>
                <td>
                  {(causes.get(bar.turnId) ?? []).map((from, index) => (
                    <span key={from}>
                      {index > 0 && ', '}
                      <a href={turnHref(runId, from)}>{lineOf(from, 60)}</a>
                    </span>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

const partKinds = Object.keys(partWords) as TimelinePart['kind'][];

function partText(bar: TimelineBar, kind: TimelinePart['kind'], now: number): string {
  const time = partTimes(bar, now).get(kind);
  return time === undefined ? '' : durationText(time);
}

function causesOf(view: Timeline): ReadonlyMap<string, readonly string[]> {
  const causes = new Map<string, string[]>();
  for (const { from, to } of view.links) {
    const known = causes.get(to);
    if (known === undefined) causes.set(to, [from]);
    else if (!known.includes(from)) known.push(from);
  }
  return causes;
}
