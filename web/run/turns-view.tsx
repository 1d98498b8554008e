import { costText, countText, durationText } from '../../src/inspect/format/text/quantity-text.ts';
import { counted, didText } from '../../src/inspect/format/format-turn-list.ts';
import { grouped } from '../../src/inspect/format/text/terminal-text.ts';
import { turnList, type TurnRow } from '../../src/inspect/turn-list.ts';
import { Badge } from '../kit/badge.tsx';
import { IdText } from '../kit/id-text.tsx';
import { PickField } from '../kit/pick-field.tsx';
import { SearchField } from '../kit/search-field.tsx';
import { Time, zoneOf } from '../kit/time.tsx';
import { useNow } from '../kit/use-now.ts';
import { type Column, VirtualTable } from '../kit/virtual-table.tsx';
import { startOf, toVisibleText } from '../kit/visible-text.ts';
import { type RouteQuery, turnHref } from '../routing/route.ts';
import { setQuery } from '../routing/router.ts';
import { useRun, useView } from './page-run.ts';
import './turns.css';

/** Maximum length of a text in a cell, in characters. */
const longest = 300;

/** List of all turns. */
export function TurnsView({ query }: { readonly query: RouteQuery }) {
  const { runId } = useRun();
  const rows = useView((state) => turnList(state)).value ?? [];
  const { agent = '', status = '', q = '' } = query;
  const words = q.trim().toLowerCase();
  const found = rows.filter(
    (row) =>
      (agent === '' || row.agentId === agent) &&
      (status === '' || row.status === status) &&
      (words === '' || textOf(row).toLowerCase().includes(words)),
  );
  return (
    <>
      <h2 class="seen-by-readers">Turns</h2>
      <div class="toolbar">
        <SearchField label="Search inputs and actions" value={q} onChange={(value) => setQuery({ q: value })} />
        <PickField
          label="agent"
          value={agent}
          options={rows.map((row) => row.agentId)}
          onPick={(value) => setQuery({ agent: value })}
        />
        <PickField
          label="status"
          value={status}
          options={rows.map((row) => row.status)}
          onPick={(value) => setQuery({ status: value })}
        />
        <span class="faint small number push">
          {found.length === rows.length ? '' : `${grouped(found.length)} of `}
          {countText(rows.length, 'turn')}
        </span>
      </div>
      {found.length === 0 ? (
        <p class="empty faint">{rows.length === 0 ? 'There are no turns yet.' : 'No matching turns.'}</p>
      ) : (
        <VirtualTable
          label="Turns"
          class="turns"
          noun="turn"
          columns={columnsOf(runId)}
          rows={found}
          estimate={30}
          keyOf={(row) => row.turnId}
          {...(query['turn'] === undefined ? {} : { scrollTo: found.findIndex((row) => row.turnId === query['turn']) })}
        />
      )}
    </>
  );
}

function columnsOf(runId: string): readonly Column<TurnRow>[] {
  const zone = zoneOf();
  return [
    {
      title: 'turn',
      class: 'turns-id',
      cell: (row) => (
        <a href={turnHref(runId, row.turnId)} aria-label={toVisibleText(row.turnId)}>
          <IdText id={row.turnId} />
        </a>
      ),
    },
    { title: 'status', class: 'turns-status', cell: (row) => <Badge status={row.status} /> },
    { title: 'read', class: 'turns-read', cell: (row) => oneLine(counted(row.sources)) },
    { title: 'did', class: 'turns-did', cell: (row) => oneLine(didText(row)) },
    { title: 'tokens', class: 'turns-tokens end', cell: (row) => `${grouped(row.inputTokens)} / ${grouped(row.outputTokens)}` },
    { title: 'cost', class: 'turns-cost end', cell: (row) => (typeof row.cost === 'number' ? costText(row.cost) : '–') },
    { title: 'time', class: 'turns-time end', cell: (row) => <Lasted row={row} /> },
    {
      title: `began, ${zone}`,
      class: 'turns-began end faint',
      cell: (row) => <Time at={row.startedAt} under={zone} />,
    },
  ];
}

function Lasted({ row }: { readonly row: TurnRow }) {
  const now = useNow(row.endedAt === undefined);
  return <>{durationText(Math.max(0, (row.endedAt ?? now) - row.startedAt))}</>;
}

function textOf(row: TurnRow): string {
  return `${row.turnId} ${row.sources.join(' ')} ${row.tools.map(({ name }) => name).join(' ')} ${row.reply} ${row.action ?? ''} ${row.error ?? ''}`;
}

function oneLine(text: string): string {
  return toVisibleText(startOf(text, longest).replaceAll(/\s+/gu, ' '));
}
