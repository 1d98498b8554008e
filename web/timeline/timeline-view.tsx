import { useMemo } from 'preact/hooks';
import { timeline } from '../../src/inspect/timeline/timeline.ts';
import { noTurns } from '../../src/inspect/timeline/timeline-turns.ts';
import { useRun, useView } from '../run/page-run.ts';
import type { RouteQuery } from '../routing/route.ts';
import { TimelineChart } from './timeline-chart.tsx';
import { TimelineTable } from './timeline-table.tsx';
import './timeline.css';

/** The run over time. */
export function TimelineView({ query }: { readonly query: RouteQuery }) {
  const store = useRun();
  // Keeps the earlier layout: an update costs only the new events.
  const known = useMemo(noTurns, [store]);
  const view = useView((state, { eventAt }) => timeline(state, { eventAt, known }), [known]).value;
  // A run in a file, or one that has ended, gets no more events.
  const isOver = store.connection.value.kind === 'over';
  const shown = useMemo(() => (view !== undefined && isOver ? { ...view, live: false } : view), [view, isOver]);
  if (shown === undefined) return null;
  if (shown.lanes.every(({ bars }) => bars.length === 0)) return <p class="faint empty">No agent has begun a turn yet.</p>;
  return query['as'] === 'table' ? <TimelineTable view={shown} /> : <TimelineChart view={shown} query={query} />;
}
