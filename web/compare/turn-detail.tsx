import { useMemo } from 'preact/hooks';
import type { PairComparison, TurnFigures } from '../../src/inspect/compare/run-comparison.ts';
import type { RefNames, TurnComparison } from '../../src/inspect/compare/turn-comparison.ts';
import { costText, durationText, tokensText } from '../../src/inspect/format/text/quantity-text.ts';
import { counted } from '../../src/inspect/format/format-turn-list.ts';
import { differencePieces, type DifferencePiece } from '../../src/inspect/rerender/difference-pieces.ts';
import type { PromptSpan } from '../../src/inspect/turn/prompt-spans.ts';
import { useAnswer } from '../data/use-answer.ts';
import { lineOf } from '../kit/line-of.ts';
import { placeText, safe } from '../kit/safe.ts';
import { toVisibleText } from '../kit/visible-text.ts';
import { turnHref } from '../routing/route.ts';
import { LinesDiff, PromptDiff } from '../turn/diff-view.tsx';
import { Sides, type SideRow } from './sides.tsx';

const headingId = 'compared-turn';

/** Moves the focus to the turn in full, once it is rendered. */
export function focusDetail(): void {
  requestAnimationFrame(() => {
    const heading = document.getElementById(headingId);
    heading?.focus({ preventScroll: true });
    heading?.scrollIntoView({ block: 'start' });
  });
}

/** One turn of both runs in full: facts beside each other, what differs, and the difference of the prompts. */
export function TurnDetail(props: { readonly turnId: string; readonly pair: PairComparison; readonly round: number }) {
  const { turnId, pair, round } = props;
  const { before, after } = pair;
  const query = [before, after].map((runId) => `run=${encodeURIComponent(runId)}`).join('&');
  const found = useAnswer<TurnComparison>(`/api/compare/turns/${encodeURIComponent(turnId)}?${query}`, round);
  const turn = found.kind === 'there' ? found.answer : undefined;
  return (
    <section class="stack" aria-labelledby={headingId}>
      <div class="row">
        <h2 id={headingId} tabIndex={-1}>
          {toVisibleText(turnId)}
        </h2>
        {turn?.before !== undefined && <a href={turnHref(before, turnId)}>the turn in A</a>}
        {turn?.after !== undefined && <a href={turnHref(after, turnId)}>the turn in B</a>}
      </div>
      {found.kind === 'loading' && <p class="faint">Loading…</p>}
      {found.kind === 'problem' && (
        <p role="alert" class="problem">
          {toVisibleText(found.message)}
        </p>
      )}
      {turn !== undefined && <Differences turn={turn} />}
    </section>
  );
}

function Differences({ turn }: { readonly turn: TurnComparison }) {
  const { before, after, difference, reply, results, prompt } = turn;
  const pieces = useMemo(() => differencePieces(difference), [difference]);
  if (before === undefined || after === undefined)
    return <p>This turn is only in {before === undefined ? 'B' : 'A'}: the other run ended, waits, or began another agent.</p>;
  return (
    <>
      <Sides label="The turn in both runs" rows={rowsOf(before, after)} />
      {turn.parts.length === 0 && <p class="tone-good">The turns are the same.</p>}
      {turn.parts.includes('clock') && <p class="tone-good">The turns are the same but for dates and times.</p>}
      {pieces.map((piece, index) => (
        <Piece key={index} piece={piece} />
      ))}
      {reply !== undefined && (
        <>
          <h3>reply</h3>
          <LinesDiff {...reply} />
        </>
      )}
      {results.map((result, index) => (
        <div key={index}>
          <h3>result of {safe(result.tool, 80)}</h3>
          <LinesDiff before={result.before} after={result.after} />
        </div>
      ))}
      {prompt !== undefined && prompt.entries.length > 0 && (
        <details open={prompt.entries.some(({ kind }) => kind !== 'same')}>
          <summary>
            <h3 class="compare-prompt">the prompts, piece by piece</h3>
          </summary>
          <PromptDiff
            diff={prompt}
            nameOf={(span, mark) => nameOf(mark === 'removed' ? turn.names.before : turn.names.after, span)}
          />
        </details>
      )}
    </>
  );
}

const signs = { changed: '~', added: '+', removed: '−', moved: '↕' } as const;
const tones = { changed: 'tone-waits', added: 'tone-good', removed: 'tone-bad', moved: 'tone-waits' } as const;

function Piece({ piece }: { readonly piece: DifferencePiece }) {
  switch (piece.kind) {
    case 'sentence':
      return (
        <p class={piece.mark === undefined ? '' : tones[piece.mark]}>
          {piece.mark !== undefined && `${signs[piece.mark]} `}
          {safe(piece.text)}
        </p>
      );
    case 'pair':
      return (
        <div>
          <h3>{safe(piece.title)}</h3>
          <LinesDiff before={piece.before} after={piece.after} />
        </div>
      );
    case 'lines':
      return (
        <div>
          <h3>
            {piece.mark !== undefined && <span class={tones[piece.mark]}>{signs[piece.mark]} </span>}
            {safe(piece.title)} {piece.source !== undefined && <span class="faint">{placeText(piece.source)}</span>}
          </h3>
          {piece.error !== undefined && <p class="problem">it fails: {safe(piece.error)}</p>}
          <LinesDiff lines={piece.lines} />
        </div>
      );
  }
}

function rowsOf(a: TurnFigures, b: TurnFigures): readonly SideRow[] {
  const row = (name: string, text: (turn: TurnFigures) => string): SideRow => {
    const [before, after] = [text(a), text(b)];
    return { name, before, after, differs: before !== after };
  };
  return [
    row('model', ({ model = '–' }) => lineOf(model)),
    row('calls', ({ calls }) => lineOf(counted(calls), 300) || '–'),
    row('decision', ({ decision }) => lineOf(decision, 300)),
    row('tokens', ({ inputTokens, outputTokens }) => tokensText(inputTokens, outputTokens)),
    row('cost', ({ cost }) => costText(cost)),
    row('time', ({ ms }) => (ms === undefined ? 'not ended' : durationText(ms))),
  ];
}

function nameOf({ items, calls }: RefNames, { source, ref, callId = '', turnId }: PromptSpan): string {
  switch (source) {
    case 'item':
      return safe(items[ref] ?? ref, 60);
    case 'tool_result':
      return `result of ${safe(calls[callId] ?? ref, 60)}`;
    case 'tool_call':
      return `call of ${safe(calls[callId] ?? ref, 60)}`;
    case 'reply':
    case 'reasoning':
      return `${source} of ${safe(turnId ?? ref, 60)}`;
    case 'head':
      return 'earlier content';
    case 'join':
      return '';
    case 'segment':
      return safe(ref, 60);
  }
}
