import { useMemo, useState } from 'preact/hooks';
import { countText, shareText } from '../../src/inspect/format/text/quantity-text.ts';
import { grouped } from '../../src/inspect/format/text/terminal-text.ts';
import { type DiffLine, diffLines } from '../../src/inspect/turn/diff-lines.ts';
import type { TurnDiff } from '../../src/inspect/turn/diff-turns.ts';
import type { PromptSpan } from '../../src/inspect/turn/prompt-spans.ts';
import { Blocks } from '../kit/blocks.tsx';
import { safe } from '../kit/safe.ts';
import { toVisibleText } from '../kit/visible-text.ts';
import { diffRows, type DiffRow, lineRows } from './diff-rows.ts';

/** Returns a short name of a span that is the same, was added, removed or changed; empty for a separator. */
type NameOfSpan = (span: PromptSpan, mark: 'same' | 'added' | 'removed' | 'changed') => string;

/** The difference of two prompts: what of it a prompt cache can use again, and each piece that changed. */
export function PromptDiff({ diff, nameOf }: { readonly diff: Omit<TurnDiff, 'stateChanges'>; readonly nameOf: NameOfSpan }) {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const rows = useMemo(() => diffRows(diff, open), [diff, open]);
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
      <Rows rows={rows} nameOf={nameOf} flip={flip} />
    </>
  );
}

/** The lines of two texts that differ, with a few around them; a list of lines is a difference already. */
export function LinesDiff(props: { readonly before: string; readonly after: string } | { readonly lines: readonly DiffLine[] }) {
  const rows = useMemo(
    () => lineRows('lines' in props ? props.lines : diffLines(props.before, props.after)),
    'lines' in props ? [props.lines] : [props.before, props.after],
  );
  return <Rows rows={rows} nameOf={() => ''} flip={() => undefined} />;
}

function Rows(props: { readonly rows: readonly DiffRow[]; readonly nameOf: NameOfSpan; readonly flip: (first: number) => void }) {
  const { rows, nameOf, flip } = props;
  const isLong = rows.length > 120;
  return (
    <div class={`diff text ${isLong ? 't-lines-long' : ''}`} dir="ltr" tabIndex={isLong ? 0 : undefined}>
      <Blocks
        count={rows.length}
        estimate={20}
        row={(index) => {
          const row = rows[index];
          return row === undefined ? null : <Row key={index} row={row} nameOf={nameOf} flip={flip} />;
        }}
      />
    </div>
  );
}

const signs = { same: ' ', added: '+', removed: '−', changed: '~' } as const;
const words = { same: 'the same', added: 'added', removed: 'removed', changed: 'changed' } as const;

function Row({
  row,
  nameOf,
  flip,
}: {
  readonly row: DiffRow;
  readonly nameOf: NameOfSpan;
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
          {words[row.mark]}: {nameOf(row.span, row.mark) || 'separator'}{' '}
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
