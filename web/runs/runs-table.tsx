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

/** What rows of runs lead to, and how two of them are chosen. */
interface RowsOfRuns {
  /** Address that the title of a run leads to; by default, the run. */
  readonly hrefOf?: (row: RunRow) => string;
  /** Ids of the runs that are chosen to be compared, and what chooses one. Absent: none can be. */
  readonly chosen?: readonly string[];
  readonly onChoose?: (runId: string) => void;
}

const columnsOf = ({ hrefOf = ({ runId }) => runHref(runId), chosen, onChoose }: RowsOfRuns): readonly Column<RunRow>[] => [
  {
    title: 'status',
    class: 'run-status',
    cell: (row) => (
      <>
        {onChoose !== undefined && (
          <input
            type="checkbox"
            title="Choose two runs to compare them"
            aria-label={`Compare ${titleOf(row)}`}
            checked={chosen?.includes(row.runId) === true}
            onChange={() => onChoose(row.runId)}
          />
        )}
        <Badge status={statusWord(row)} />
      </>
    ),
  },
  {
    title: 'title',
    class: 'run-title',
    cell: (row) => (
      <>
        <a href={hrefOf(row)} title={row.runId}>
          {titleOf(row)}
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

function titleOf({ title, runId }: RunRow): string {
  return toVisibleText(startOf(title, longestTitle)).replaceAll('\n', ' ') || runId;
}

/** Table of runs, newest first. Runs that wait for a person are highlighted. */
export function RunsTable({ rows, ...options }: RowsOfRuns & { readonly rows: readonly RunRow[] }) {
  return (
    <VirtualTable
      label="Runs"
      class="runs"
      noun="run"
      columns={columnsOf(options)}
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
