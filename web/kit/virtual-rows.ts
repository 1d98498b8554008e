import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { RowWindow, type RowWindowOptions } from './row-window.ts';

/** Options of virtual rows. */
export interface RowsOptions extends RowWindowOptions {
  /** Scrolls to this row when it changes. */
  readonly scrollTo?: number | undefined;
  /** Stays at the last row while more are added. */
  readonly follow?: boolean;
}

/** Rows in view. */
export interface Rows {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly virtual: RowWindow;
  /** Moves the focus to the link or button of the next row (1) or the previous one (-1). */
  readonly move: (by: 1 | -1) => void;
}

/** Returns event handlers that report a scroll upwards in a list that follows its end. */
export function goingUp(onScrollUp: (() => void) | undefined) {
  return {
    onWheel: ({ deltaY }: WheelEvent) => (deltaY < 0 ? onScrollUp?.() : undefined),
    onTouchMove: () => onScrollUp?.(),
    onKeyDown: ({ key }: KeyboardEvent) => (['ArrowUp', 'PageUp', 'Home'].includes(key) ? onScrollUp?.() : undefined),
  };
}

/** Frames within which a scroll target must be rendered. */
const framesToCome = 20;

/** Renders the rows in view of a list or table of any length, measured as they appear. */
export function useVirtualRows({ count, estimate, keyOf, pinned, scrollTo, follow = false }: RowsOptions): Rows {
  const scroller = useRef<HTMLDivElement>(null);
  const [, redraw] = useState({});
  const [virtual] = useState(() => new RowWindow({ count, estimate, keyOf, pinned }, () => redraw({})));
  virtual.setOptions({ count, estimate, keyOf, pinned });
  useLayoutEffect(() => {
    if (scroller.current === null) return undefined;
    redraw({});
    return virtual.attach(scroller.current);
  }, [virtual]);
  useLayoutEffect(() => {
    if (scrollTo !== undefined && scrollTo >= 0) virtual.scrollTo(scrollTo, 'center');
  }, [virtual, scrollTo]);
  // The last row may grow, too, such as a reply being written.
  const height = virtual.totalHeight;
  useLayoutEffect(() => {
    if (follow && count > 0) virtual.scrollTo(count - 1, 'end');
  }, [virtual, follow, count, height]);
  const move = (by: 1 | -1): void => {
    const focused = document.activeElement?.closest<HTMLElement>('[data-index]');
    const isOurs = focused !== null && focused !== undefined && scroller.current?.contains(focused) === true;
    const from = isOurs ? Number(focused.dataset['index']) : virtual.first - by;
    const to = Math.max(0, Math.min(count - 1, from + by));
    virtual.scrollTo(to, 'auto');
    focusRow(scroller, to, framesToCome);
  };
  return { scroller, virtual, move };
}

function focusRow(scroller: RefObject<HTMLElement | null>, index: number, frames: number): void {
  const target = scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"] :is(a, button, summary)`);
  if (target !== null && target !== undefined) target.focus({ preventScroll: true });
  else if (frames > 0) requestAnimationFrame(() => focusRow(scroller, index, frames - 1));
}
