import type { ComparedTurn, PairComparison, TurnFigures } from '../../src/inspect/compare/run-comparison.ts';
import { costText, countText, durationText } from '../../src/inspect/format/text/quantity-text.ts';
import { grouped } from '../../src/inspect/format/text/terminal-text.ts';
import { counted } from '../../src/inspect/format/format-turn-list.ts';
import { IdText } from '../kit/id-text.tsx';
import { lineOf } from '../kit/line-of.ts';
import { type Column, VirtualTable } from '../kit/virtual-table.tsx';
import { toVisibleText } from '../kit/visible-text.ts';
import { turnHref } from '../routing/route.ts';
import { setQuery } from '../routing/router.ts';
import { focusDetail } from './turn-detail.tsx';

/** Height of a row and of the head, in pixels, and most rows that need no scrolling. */
const [rowPx, headPx, mostRows] = [34, 32, 12];

/** The turns of both runs, aligned: the same, different, or in one run only. */
export function TurnRows(props: {
  readonly pair: PairComparison;
  readonly turnId: string | undefined;
  readonly onlyDiffering: boolean;
}) {
  const { pair, turnId, onlyDiffering } = props;
  const rows = onlyDiffering ? pair.turns.filter((row) => !isSame(row)) : pair.turns;
  const scrollTo = turnId === undefined ? -1 : rows.findIndex((row) => idOf(row) === turnId);
  return (
    <section aria-labelledby="compared-turns">
      <div class="row">
        <h2 id="compared-turns">Turns</h2>
        <span class="faint number">
          {grouped(pair.same)} the same, {countText(pair.differ, 'turn')} that differ{pair.differ === 1 ? 's' : ''}
        </span>
        <button
          type="button"
          class="small push"
          aria-pressed={onlyDiffering}
          onClick={() => setQuery({ only: onlyDiffering ? '' : 'differ' })}
        >
          only those that differ
        </button>
      </div>
      {rows.length === 0 ? (
        <p class="faint">{pair.turns.length === 0 ? 'Neither run has taken a turn yet.' : 'No turn differs.'}</p>
      ) : (
        <div class="compare-turns panel" style={{ blockSize: `${headPx + rowPx * Math.min(rows.length, mostRows) + 4}px` }}>
          <VirtualTable
            label="Compared turns"
            class="compared"
            noun="turn"
            columns={columnsOf(pair)}
            rows={rows}
            estimate={rowPx}
            keyOf={idOf}
            rowClass={(row) => `${idOf(row) === turnId ? 'compared-shown' : ''} ${isSame(row) ? '' : 'compared-differs'}`}
            {...(scrollTo < 0 ? {} : { scrollTo })}
          />
        </div>
      )}
    </section>
  );
}

function columnsOf({ before, after }: PairComparison): readonly Column<ComparedTurn>[] {
  const open = (row: ComparedTurn): void => {
    setQuery({ turn: idOf(row) });
    focusDetail();
  };
  return [
    {
      title: 'turn',
      class: 'compared-turn',
      cell: (row) => (
        <button type="button" class="quiet" aria-label={toVisibleText(idOf(row))} onClick={() => open(row)}>
          <IdText id={idOf(row)} />
        </button>
      ),
    },
    { title: 'A and B', class: 'compared-what', cell: (row) => <What row={row} /> },
    {
      title: 'open',
      class: 'compared-open',
      cell: (row) => (
        <>
          {row.before !== undefined && <a href={turnHref(before, row.before.turnId)}>A</a>}{' '}
          {row.after !== undefined && <a href={turnHref(after, row.after.turnId)}>B</a>}
        </>
      ),
    },
    { title: 'did', class: 'compared-did faint', cell: (row) => <Both row={row} text={didOf} /> },
    { title: 'tokens', class: 'compared-tokens end', cell: (row) => <Both row={row} text={tokensOf} /> },
    { title: 'cost', class: 'compared-cost end', cell: (row) => <Both row={row} text={costOf} /> },
    { title: 'time', class: 'compared-time end faint', cell: (row) => <Both row={row} text={timeOf} /> },
  ];
}

function What({ row }: { readonly row: ComparedTurn }) {
  if (row.before === undefined) return <span class="tone-bad">only in B</span>;
  if (row.after === undefined) return <span class="tone-bad">only in A</span>;
  if (!isSame(row)) return <span class="tone-bad">{row.parts.join(', ')}</span>;
  return <span class="tone-good">{row.parts.length === 0 ? 'same' : 'same but for times'}</span>;
}

/** A text of both sides, once when it is the same. */
function Both({ row, text }: { readonly row: ComparedTurn; readonly text: (figures: TurnFigures) => string }) {
  const texts = [...new Set([row.before, row.after].flatMap((side) => (side === undefined ? [] : [text(side)])))];
  const shown = texts.join(' → ');
  return <span title={shown}>{shown}</span>;
}

function didOf({ decision, calls }: TurnFigures): string {
  return lineOf([counted(calls), decision].filter((part) => part !== '').join(' · '), 200);
}

function tokensOf({ inputTokens, outputTokens }: TurnFigures): string {
  return `${grouped(inputTokens)} / ${grouped(outputTokens)}`;
}

function costOf({ cost }: TurnFigures): string {
  return cost === null ? '–' : costText(cost);
}

function timeOf({ ms }: TurnFigures): string {
  return ms === undefined ? 'not ended' : durationText(ms);
}

function idOf({ before, after }: ComparedTurn): string {
  return (after ?? before)?.turnId ?? '';
}

/** True for turns that differ in nothing but times. */
function isSame({ before, after, parts }: ComparedTurn): boolean {
  return before !== undefined && after !== undefined && parts.every((part) => part === 'clock');
}
