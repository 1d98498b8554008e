import { costText, countText, durationText } from '../../src/inspect/format/text/quantity-text.ts';
import { grouped } from '../../src/inspect/format/text/terminal-text.ts';
import { statusWord, waitsForYou } from '../../src/inspect/run-words.ts';
import type { RunRow } from '../data/runs-store.ts';
import { Badge } from '../kit/badge.tsx';
import { Time, zoneOf } from '../kit/time.tsx';
import { useNow } from '../kit/use-now.ts';
import { type Column, VirtualTable } from '../kit/virtual-table.tsx';
import { startOf, toVisibleText } from '../kit/visible-text.ts';
import { runHref } from '../routing/route.ts';

/** Maximum length of a title in a row, in characters. */
const longestTitle = 300;

const zone = zoneOf();

const columns: readonly Column<RunRow>[] = [
  { title: 'status', class: 'run-status', cell: (row) => <Badge status={statusWord(row)} /> },
  {
    title: 'title',
    class: 'run-title',
    cell: (row) => (
      <>
        <a href={runHref(row.runId)} title={row.runId}>
          {toVisibleText(startOf(row.title, longestTitle)).replaceAll('\n', ' ') || row.runId}
        </a>
        {row.isImported === true && <span class="badge tone-calm">imported</span>}
        {row.project !== undefined && <span class="badge">{toVisibleText(row.project)}</span>}
      </>
    ),
  },
  { title: 'profile', class: 'run-profile', cell: (row) => <span class="faint">{toVisibleText(row.profile)}</span> },
  { title: 'agents', class: 'run-agents end', cell: (row) => grouped(row.agents) },
  { title: 'turns', class: 'run-turns end', cell: (row) => grouped(row.turns) },
  { title: 'tokens', class: 'run-tokens end', cell: (row) => grouped(row.inputTokens + row.outputTokens) },
  { title: 'cost', class: 'run-cost end', cell: (row) => <Cost row={row} /> },
  { title: 'time', class: 'run-time end', cell: (row) => <Lasted row={row} /> },
  {
    title: `updated, ${zone}`,
    class: 'run-updated end faint',
    cell: (row) => <Time at={row.updatedAt} under={zone} />,
  },
  { title: 'summary', class: 'run-brief faint', cell: (row) => <Brief row={row} /> },
];

/** Table of runs, newest first. Runs that wait for a person are highlighted. */
export function RunsTable({ rows }: { readonly rows: readonly RunRow[] }) {
  return (
    <VirtualTable
      label="Runs"
      class="runs"
      noun="run"
      columns={columns}
      rows={rows}
      estimate={30}
      keyOf={(row) => row.runId}
      rowClass={(row) => ([waitsForYou, 'interrupted'].includes(statusWord(row)) ? 'run-waits' : '')}
    />
  );
}

function Cost({ row }: { readonly row: RunRow }) {
  const text = costText(row.cost, row.costAtLeast);
  return <span title={text}>{text === 'cost unknown' ? '–' : text.replace('at least ', '≥ ')}</span>;
}

/** Summary of the columns that a narrow window hides. */
function Brief({ row }: { readonly row: RunRow }) {
  return (
    <>
      {countText(row.turns, 'turn')} · {grouped(row.inputTokens + row.outputTokens)} tokens · <Lasted row={row} /> ·{' '}
      <Time at={row.updatedAt} />
    </>
  );
}

/** Duration of a run; counts on while a process advances it. */
function Lasted({ row }: { readonly row: RunRow }) {
  const isRunning = row.status === 'running' && row.isAbandoned !== true && row.isImported !== true;
  const now = useNow(isRunning);
  return <>{durationText((isRunning ? Math.max(now, row.updatedAt) : row.updatedAt) - row.createdAt)}</>;
}
