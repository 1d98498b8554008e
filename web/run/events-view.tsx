import { useMemo, useState } from 'preact/hooks';
import type { CadreEvent } from '../../src/core/events/event.ts';
import { describeEvent } from '../../src/core/events/event.ts';
import { countText } from '../../src/inspect/format/text/quantity-text.ts';
import { grouped } from '../../src/inspect/format/text/terminal-text.ts';
import type { RunStore } from '../data/run-store.ts';
import { IdText } from '../kit/id-text.tsx';
import { PickField } from '../kit/pick-field.tsx';
import { ScrollBox } from '../kit/scroll-box.tsx';
import { SearchField } from '../kit/search-field.tsx';
import { Text } from '../kit/text.tsx';
import { Time, zoneOf } from '../kit/time.tsx';
import { type Column, VirtualTable } from '../kit/virtual-table.tsx';
import { toVisibleText } from '../kit/visible-text.ts';
import { type RouteQuery, turnHref } from '../routing/route.ts';
import { setQuery } from '../routing/router.ts';
import { useRun } from './page-run.ts';
import './turns.css';

/** The journal as a list of events. */
export function EventsView({ query }: { readonly query: RouteQuery }) {
  const store = useRun();
  const { type = '', agent = '', q = '', seq = '' } = query;
  const [follows, setFollows] = useState(seq === '' && store.connection.peek().kind === 'live');
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set(seq === '' ? [] : [Number(seq)]));
  const revision = store.revision.value;
  const found = useMemo(() => filterEvents(store.events, { type, agent, q }), [store, revision, type, agent, q]);
  const { types, agents } = useMemo(() => choicesOf(store), [store, revision]);
  const toggle = (event: CadreEvent): void => {
    const next = new Set(opened);
    if (!next.delete(event.seq)) next.add(event.seq);
    setOpened(next);
  };
  const scrollTo = seq === '' ? undefined : found.findIndex((event) => event.seq === Number(seq));
  return (
    <>
      <h2 class="seen-by-readers">Events</h2>
      <div class="toolbar">
        <SearchField label="Search events" value={q} onChange={(value) => setQuery({ q: value })} />
        <PickField label="type" value={type} options={types} onPick={(value) => setQuery({ type: value })} />
        <PickField label="agent" value={agent} options={agents} onPick={(value) => setQuery({ agent: value })} />
        <span class="faint small number push">
          {found.length === store.events.length ? '' : `${grouped(found.length)} of `}
          {countText(store.events.length, 'event')}
        </span>
        <button type="button" class="small" aria-pressed={follows} onClick={() => setFollows(!follows)}>
          follow
        </button>
      </div>
      {found.length === 0 ? (
        <p class="empty faint">{store.events.length === 0 ? 'There are no events yet.' : 'No matching events.'}</p>
      ) : (
        <VirtualTable
          label="Events"
          class="events"
          noun="event"
          columns={columnsOf(store.runId, opened, toggle)}
          rows={found}
          estimate={30}
          keyOf={(event) => String(event.seq)}
          rowClass={(event) => (String(event.seq) === seq ? 'event-target' : '')}
          scrollTo={scrollTo}
          follow={follows}
          onScrollUp={() => setFollows(false)}
        />
      )}
    </>
  );
}

function columnsOf(runId: string, opened: ReadonlySet<number>, toggle: (event: CadreEvent) => void): readonly Column<CadreEvent>[] {
  const zone = zoneOf();
  return [
    { title: 'seq', class: 'events-seq end faint', cell: (event) => `#${event.seq}` },
    { title: `time, ${zone}`, class: 'events-at faint', cell: (event) => <Time at={event.at} under={zone} precise /> },
    { title: 'type', class: 'events-type', cell: (event) => toVisibleText(event.type) },
    { title: 'agent', class: 'events-agent faint', cell: (event) => <IdText id={agentOf(event)} /> },
    {
      title: 'event',
      class: 'events-text',
      cell: (event) => (
        <>
          {toVisibleText(describeEvent(event)).replaceAll('\n', ' ')}
          {'turnId' in event && typeof event.turnId === 'string' && (
            <>
              {' '}
              <a href={turnHref(runId, event.turnId)}>turn</a>
            </>
          )}
          {opened.has(event.seq) && <RawEvent event={event} />}
        </>
      ),
    },
    {
      title: 'raw',
      class: 'events-raw end',
      cell: (event) => (
        <button
          type="button"
          class="quiet small"
          aria-expanded={opened.has(event.seq)}
          aria-label={`Event ${event.seq} as JSON`}
          onClick={() => toggle(event)}
        >
          {opened.has(event.seq) ? 'less' : 'raw'}
        </button>
      ),
    },
  ];
}

function RawEvent({ event }: { readonly event: CadreEvent }) {
  const json = useMemo(() => JSON.stringify(event, undefined, 2), [event]);
  return (
    <ScrollBox class="panel event-raw">
      <Text value={json} label={`Event ${event.seq} as JSON`} />
    </ScrollBox>
  );
}

/** Filter of the list. */
interface EventFilter {
  readonly type: string;
  readonly agent: string;
  readonly q: string;
}

/** Returns the events of a type and an agent whose line contains the search text. */
function filterEvents(events: readonly CadreEvent[], { type, agent, q }: EventFilter): readonly CadreEvent[] {
  const words = q.trim().toLowerCase();
  if (type === '' && agent === '' && words === '') return events;
  return events.filter(
    (event) =>
      (type === '' || event.type === type) &&
      (agent === '' || agentOf(event) === agent) &&
      (words === '' || lineOf(event).includes(words)),
  );
}

const lines = new WeakMap<CadreEvent, string>();

function lineOf(event: CadreEvent): string {
  const known = lines.get(event) ?? `${event.type} ${agentOf(event)} ${describeEvent(event)}`.toLowerCase();
  lines.set(event, known);
  return known;
}

function agentOf(event: CadreEvent): string {
  return 'agentId' in event && typeof event.agentId === 'string' ? event.agentId : '';
}

function choicesOf({ events, state }: RunStore): { readonly types: readonly string[]; readonly agents: readonly string[] } {
  return {
    types: [...new Set(events.map((event) => event.type))].toSorted(),
    agents: [...(state?.agents.keys() ?? [])],
  };
}
