import type { FirstDifference, PairComparison, RunComparison, RunFigures } from '../../src/inspect/compare/run-comparison.ts';
import { costText, countText, durationText, tokensText } from '../../src/inspect/format/text/quantity-text.ts';
import { grouped } from '../../src/inspect/format/text/terminal-text.ts';
import { Badge } from '../kit/badge.tsx';
import { lineOf } from '../kit/line-of.ts';
import { toVisibleText } from '../kit/visible-text.ts';
import { type RouteQuery, runHref } from '../routing/route.ts';
import { setQuery } from '../routing/router.ts';
import { Sides, type SideRow } from './sides.tsx';
import { TurnDetail } from './turn-detail.tsx';
import { TurnRows } from './turn-rows.tsx';

/** The comparison of two runs: figures, the first difference with its cause, the turns, and one turn in full. */
export function PairView(props: {
  readonly comparison: RunComparison;
  readonly pair: PairComparison;
  readonly query: RouteQuery;
  /** Number of the comparison: a repeated one loads the turn again, too. */
  readonly round: number;
}) {
  const { comparison, pair, query, round } = props;
  const [a, b] = comparison.runs;
  const turnId = query['turn'] ?? pair.first?.turnId;
  return (
    <div class="compare stack">
      {a !== undefined && b !== undefined && <Sides label="The runs" rows={figureRows(a, b)} />}
      <section aria-labelledby="first-difference">
        <h2 id="first-difference">First difference</h2>
        {pair.first === undefined ? (
          <p class="tone-good">{countText(pair.same, 'turn')}, no difference.</p>
        ) : (
          <First first={pair.first} />
        )}
      </section>
      <TurnRows pair={pair} turnId={turnId} onlyDiffering={query['only'] === 'differ'} />
      {turnId !== undefined && <TurnDetail key={turnId} turnId={turnId} pair={pair} round={round} />}
    </div>
  );
}

function First({ first: { turnId, part, cause, detail } }: { readonly first: FirstDifference }) {
  return (
    <p>
      <button type="button" class="quiet mono" onClick={() => setQuery({ turn: turnId })}>
        {toVisibleText(turnId)}
      </button>
      , {part}: <strong>{cause}</strong>, {toVisibleText(detail)}
    </p>
  );
}

function figureRows(a: RunFigures, b: RunFigures): readonly SideRow[] {
  const row = (name: string, text: (run: RunFigures) => string): SideRow => {
    const [before, after] = [text(a), text(b)];
    return { name, before, after, differs: before !== after };
  };
  return [
    { name: 'run', before: <RunLink run={a} />, after: <RunLink run={b} />, differs: false },
    row('profile', ({ profile }) => toVisibleText(profile)),
    {
      name: 'outcome',
      before: <Badge status={a.outcome ?? a.status} />,
      after: <Badge status={b.outcome ?? b.status} />,
      differs: (a.outcome ?? a.status) !== (b.outcome ?? b.status),
    },
    row('agents', ({ agents }) => grouped(agents)),
    row('turns', ({ turns }) => grouped(turns)),
    row('tool calls', ({ toolCalls }) => grouped(toolCalls)),
    row('tokens', ({ inputTokens, outputTokens }) => tokensText(inputTokens, outputTokens)),
    row('cost', ({ cost, costAtLeast }) => costText(cost, costAtLeast)),
    row('time', ({ ms }) => durationText(ms)),
    ...(a.output === '' && b.output === '' ? [] : [row('answer', ({ output }) => lineOf(output, 300) || '–')]),
  ];
}

function RunLink({ run: { runId, title } }: { readonly run: RunFigures }) {
  return (
    <a href={runHref(runId)} title={runId}>
      {lineOf(title, 120) || runId}
    </a>
  );
}
