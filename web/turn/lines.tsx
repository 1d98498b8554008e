import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { WhyPlace } from '../../src/inspect/why/why-place.ts';
import { Blocks } from '../kit/blocks.tsx';
import type { LineRange } from '../kit/line-ranges.ts';
import { toVisibleText } from '../kit/visible-text.ts';
import { keepInView } from './keep-in-view.ts';
import { selectedPlace } from './selected-place.ts';
import { useTurn } from './turn-context.ts';

/** Appearance of a row. */
export interface LineLook {
  readonly class?: string;
  /** Content above the row. */
  readonly before?: ComponentChildren;
  /** Content of the margin. */
  readonly note?: ComponentChildren;
  /** Content in place of text, for a row without any. */
  readonly instead?: ComponentChildren;
}

/** Properties of a text whose lines lead to their sources. */
interface LinesProps {
  readonly text: string;
  /** Ranges of the text, in order; a row without text is not a line. */
  readonly rows: readonly LineRange[];
  readonly where: WhyPlace['where'];
  readonly call?: number;
  readonly label: string;
  readonly look?: (index: number) => LineLook;
  /** True when rows have notes in a margin. */
  readonly isNoted?: boolean;
}

/** Number of rows from which they scroll in a box. */
const longRows = 120;

/** A text line by line. A click, or Enter, on a line or a selection shows its source; arrows move between lines. */
export function Lines({ text, rows, where, call, label, look, isNoted = false }: LinesProps) {
  const { asked, isFar, ask } = useTurn();
  const isAsked = ({ start, end }: LineRange): boolean =>
    asked?.where === where && asked.call === call && asked.start < end && asked.end > start;
  const [active, setActive] = useState(() => Math.max(0, rows.findIndex(isAsked)));
  const element = useRef<HTMLDivElement>(null);
  const moves = useRef(false);
  const current = Math.min(active, rows.length - 1);
  useLayoutEffect(() => {
    const line = element.current?.querySelector<HTMLElement>(`[data-row="${current}"]`);
    if (moves.current) line?.focus();
    moves.current = false;
  }, [current]);
  // Scrolls to the line of an address or a search, once the whole text is loaded.
  useLayoutEffect(() => {
    const place = rows.findIndex(isAsked);
    if (place >= 0 && isFar) setActive(place);
  }, [text, asked, isFar]);
  useLayoutEffect(() => {
    if (!isFar || !rows.slice(current, current + 1).some(isAsked)) return undefined;
    return keepInView(() => element.current?.querySelector(`[data-row="${current}"]`) ?? undefined);
  }, [text, current, asked, isFar]);
  const ofRow = (index: number): WhyPlace | undefined => {
    const range = rows[index];
    return range === undefined || range.start === range.end
      ? undefined
      : { where, ...(call === undefined ? {} : { call }), ...range };
  };
  const open = (index: number, line: HTMLElement | undefined): void => {
    const place = ofRow(index);
    if (place === undefined) return;
    setActive(index);
    ask(place, line);
  };
  const onClick = (event: MouseEvent): void => {
    const line = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-row]') : null;
    const selected = element.current === null ? undefined : selectedPlace(element.current, text);
    if (selected !== undefined) ask({ where, ...(call === undefined ? {} : { call }), ...selected }, line ?? undefined);
    else if (line !== null) open(Number(line.dataset['row']), line);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const line = event.target instanceof HTMLElement ? event.target : undefined;
    if (line?.dataset['row'] === undefined) return;
    const from = Number(line.dataset['row']);
    if (event.key === 'Enter' || event.key === ' ') open(from, line);
    else {
      const to = target(event.key, from, rows);
      if (to === undefined) return;
      moves.current = to !== current;
      setActive(to);
    }
    event.preventDefault();
  };
  return (
    <div
      ref={element}
      class={`t-lines text ${isNoted ? 't-lines-noted' : ''} ${rows.length > longRows ? 't-lines-long' : ''}`}
      role="group"
      aria-label={`${label}; enter on a line says where it came from`}
      dir="ltr"
      onClick={onClick}
      onKeyDown={onKeyDown}
    >
      <Blocks
        count={rows.length}
        estimate={20}
        hold={current}
        row={(index) => {
          const range = rows[index];
          if (range === undefined) return null;
          const { class: name = '', before, note, instead } = look?.(index) ?? {};
          return (
            <>
              {before}
              {range.start === range.end ? (
                instead !== undefined && <div class={`t-line ${name}`}>{instead}</div>
              ) : (
                <div
                  class={`t-line ${name}`}
                  data-row={index}
                  data-start={range.start}
                  role="button"
                  tabIndex={index === current ? 0 : -1}
                  aria-pressed={isAsked(range)}
                  aria-label={isBlank(text, range) ? 'blank line' : undefined}
                >
                  {note !== undefined && <span class="t-line-note">{note}</span>}
                  <span class="t-line-text">{toVisibleText(text.slice(range.start, range.end))}</span>
                </div>
              )}
            </>
          );
        }}
      />
    </div>
  );
}

/** Returns the row a key leads to; undefined for other keys. */
function target(key: string, from: number, rows: readonly LineRange[]): number | undefined {
  const isLine = ({ start, end }: LineRange): boolean => end > start;
  const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }[key];
  if (key === 'Home') return rows.findIndex(isLine);
  if (key === 'End') return rows.findLastIndex(isLine);
  if (step === undefined) return undefined;
  let to = Math.max(0, Math.min(rows.length - 1, from + step));
  for (let row = rows[to]; row !== undefined && !isLine(row); row = rows[to]) to += Math.sign(step);
  return rows[to] === undefined ? from : to;
}

function isBlank(text: string, { start, end }: LineRange): boolean {
  return text.slice(start, end).trim() === '';
}
