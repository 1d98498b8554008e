import { useMemo, useState } from 'preact/hooks';
import { callIndex } from '../../src/inspect/call-index.ts';
import { diffTurns, type TurnDiff } from '../../src/inspect/turn/diff-turns.ts';
import { turnNeighbours } from '../../src/inspect/turn/turn-neighbours.ts';
import type { TurnRecord } from '../../src/inspect/turn/turn-record.ts';
import { countText, shareText } from '../../src/inspect/format/text/quantity-text.ts';
import { grouped } from '../../src/inspect/format/text/terminal-text.ts';
import { Blocks } from '../kit/blocks.tsx';
import { safe } from '../kit/safe.ts';
import { toVisibleText } from '../kit/visible-text.ts';
import { setQuery } from '../routing/router.ts';
import { useRun, useView } from '../run/page-run.ts';
import { diffRows, type DiffRow } from './diff-rows.ts';
import { Section } from './section.tsx';
import { StateChanges } from './state-section.tsx';
import { spanName, type SpanNames } from './span-name.ts';

/** Maximum length of prompts compared without a click, in characters. */
const quickChars = 1_000_000;
/** Maximum number of turns to choose from. */
const mostChoices = 2_000;

/** Returns the turn to compare the prompt with: the agent's previous one, unless the address names another. */
export function useCompared(record: TurnRecord, against: string | undefined): string | undefined {
  const previous = useView((state) => turnNeighbours(state, record.turnId).ofAgent.previous, [record.turnId]).value;
  return record.prompt.spans.length === 0 ? undefined : (against ?? previous);
}

/** The difference of the prompt to that of another turn. */
export function DiffSection({ record, other }: { readonly record: TurnRecord; readonly other: string | undefined }) {
  if (record.prompt.spans.length === 0 || other === undefined) return null;
  return (
    <Section name="diff" note={`in the prompt since ${safe(other)}`} isOpen={record.prompt.text.length < quickChars}>
      {() => <Compared record={record} other={other} />}
    </Section>
  );
}

function Compared({ record, other }: { readonly record: TurnRecord; readonly other: string }) {
  const before = useView((_, store) => store.turn(other), [other]).value;
  const diff = useMemo(() => (before === undefined ? undefined : diffTurns(before, record)), [before, record.prompt]);
  return (
    <>
      <p class="small">
        <label>
          compare with <TurnChoice record={record} other={other} />
        </label>
      </p>
      {diff === undefined ? <p class="tone-waits">There is no turn {safe(other)} in this run.</p> : <Diff diff={diff} />}
    </>
  );
}

function TurnChoice({ record, other }: { readonly record: TurnRecord; readonly other: string }) {
  const turns = useView(
    (state) => [...state.turns.values()].filter(({ start, turnId }) => start.prompt !== undefined && turnId !== record.turnId),
    [record.turnId],
  ).value;
  const own = (turns ?? []).filter(({ agentId }) => agentId === record.agentId).slice(-mostChoices);
  const others = (turns ?? []).filter(({ agentId }) => agentId !== record.agentId).slice(-mostChoices);
  return (
    <select value={other} onChange={(event) => setQuery({ against: event.currentTarget.value })}>
      {[
        ['this agent', own],
        ['other agents', others],
      ].map(([label, list]) => (
        <optgroup key={label as string} label={label as string}>
          {(list as typeof own).map(({ turnId }) => (
            <option key={turnId} value={turnId}>
              {safe(turnId, 80)}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  );
}

function Diff({ diff }: { readonly diff: TurnDiff }) {
  const store = useRun();
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const rows = useMemo(() => diffRows(diff, open), [diff, open]);
  const names = useMemo(
    (): SpanNames | undefined => (store.state === undefined ? undefined : { run: store.state, calls: callIndex(store.state) }),
    [diff],
  );
  const { tokens, sharedPrefix, tools } = diff;
  const flip = (first: number): void => {
    const next = new Set(open);
    if (!next.delete(first)) next.add(first);
    setOpen(next);
  };
  return (
    <>
      <p class="small">
        about {countText(tokens.same, 'token')} the same, <span class="tone-good">+{grouped(tokens.added)}</span>,{' '}
        <span class="tone-bad">−{grouped(tokens.removed)}</span> · the first {countText(sharedPrefix.characters, 'character')} are
        the same ({shareText(sharedPrefix.share)}): what a prompt cache can use again
        {tools.added.length > 0 && (
          <span class="tone-good"> · tools added: {tools.added.map((name) => safe(name, 80)).join(', ')}</span>
        )}
        {tools.removed.length > 0 && (
          <span class="tone-bad"> · tools removed: {tools.removed.map((name) => safe(name, 80)).join(', ')}</span>
        )}
      </p>
      <div class={`diff text ${rows.length > 120 ? 't-lines-long' : ''}`} dir="ltr" tabIndex={rows.length > 120 ? 0 : undefined}>
        <Blocks
          count={rows.length}
          estimate={20}
          row={(index) => {
            const row = rows[index];
            return row === undefined ? null : <Row key={index} row={row} names={names} flip={flip} />;
          }}
        />
      </div>
      {diff.stateChanges.length > 0 && <StateChanges changes={diff.stateChanges} />}
    </>
  );
}

const signs = { same: ' ', added: '+', removed: '−', changed: '~' } as const;
const words = { same: 'the same', added: 'added', removed: 'removed', changed: 'changed' } as const;

function Row({
  row,
  names,
  flip,
}: {
  readonly row: DiffRow;
  readonly names: SpanNames | undefined;
  readonly flip: (first: number) => void;
}) {
  switch (row.kind) {
    case 'same':
      return (
        <button type="button" class="quiet diff-same" aria-expanded={row.isOpen} onClick={() => flip(row.first)}>
          {countText(row.count, 'piece')} the same, {countText(row.tokens, 'token')}
        </button>
      );
    case 'piece':
      return (
        <h4 class={`diff-piece diff-${row.mark}`}>
          {words[row.mark]}: {names === undefined ? '' : spanName(names, row.span) || 'separator'}{' '}
          <span class="faint">
            {row.span.source.replace('_', ' ')}, {row.span.role}
            {row.span.ephemeral === true && ', this turn only'}
          </span>
        </h4>
      );
    case 'gap':
      return <div class="faint diff-gap">… {countText(row.count, 'line')} the same</div>;
    case 'line':
      return (
        <div class={`diff-line diff-${row.mark}`}>
          <span class="diff-sign">{signs[row.mark]}</span>
          <span>{toVisibleText(row.text)}</span>
        </div>
      );
  }
}
