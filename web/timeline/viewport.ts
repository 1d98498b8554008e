import { computed, signal } from '@preact/signals';

/** How much of the run the width shows: all of it, or so many pixels a millisecond. */
export type Zoom = { readonly kind: 'all' } | { readonly kind: 'scale'; readonly pxPerMs: number };

/** What is drawn: somewhat more than what is seen, in steps, so that little moves of the view draw nothing anew. */
export interface DrawnWindow {
  readonly fromX: number;
  readonly untilX: number;
  readonly firstRow: number;
  readonly lastRow: number;
}

/** Pixels and rows by which what is drawn moves on. */
const stepX = 256;
const stepRows = 4;

/**
 * The part of a timeline that is in view. The browser scrolls; this knows where it is, and whether it goes along with a run
 * that goes on.
 */
export class Viewport {
  readonly zoom = signal<Zoom>({ kind: 'all' });
  /** Goes along with the live edge. */
  readonly following = signal(true);
  readonly width = signal(0);
  readonly #height = signal(0);
  readonly #x = signal(0);
  readonly #y = signal(0);
  readonly #rowHeight = signal(1);
  #scroller: HTMLElement | undefined;
  #laneWidth = 0;
  /** Where it was put last, to tell the reader's moves from its own. */
  #put = 0;

  /** Steps of what is drawn change when the view has moved by a step, and not before. */
  readonly window = computed<DrawnWindow>(() => {
    const x = Math.floor(this.#x.value / stepX) * stepX;
    const row = Math.floor(this.#y.value / this.#rowHeight.value / stepRows) * stepRows;
    return {
      fromX: Math.max(0, x - stepX),
      untilX: x + this.width.value + 2 * stepX,
      firstRow: Math.max(0, row - stepRows),
      lastRow: row + Math.ceil(this.#height.value / this.#rowHeight.value) + 2 * stepRows,
    };
  });

  /** Watches an element until the returned function is called; `labelWidth` of it belong to no time. */
  watch(scroller: HTMLElement, labelWidth: number, rowHeight: number): () => void {
    this.#scroller = scroller;
    this.#laneWidth = labelWidth;
    this.#rowHeight.value = rowHeight;
    const measure = (): void => {
      this.width.value = Math.max(1, scroller.clientWidth - labelWidth);
      this.#height.value = scroller.clientHeight;
    };
    const observer = new ResizeObserver(measure);
    observer.observe(scroller);
    measure();
    return () => observer.disconnect();
  }

  get scrollLeft(): number {
    return this.#scroller?.scrollLeft ?? 0;
  }

  /** The browser has scrolled. Says whether the reader did it. */
  scrolled(): boolean {
    const scroller = this.#scroller;
    if (scroller === undefined) return false;
    this.#x.value = scroller.scrollLeft;
    this.#y.value = scroller.scrollTop;
    const isOwn = Math.abs(scroller.scrollLeft - this.#put) < 2;
    if (isOwn) return false;
    this.#put = scroller.scrollLeft;
    this.following.value = this.isAtEnd();
    return true;
  }

  isAtEnd(): boolean {
    const scroller = this.#scroller;
    return scroller === undefined || scroller.scrollLeft + scroller.clientWidth >= scroller.scrollWidth - 8;
  }

  /** Moves the view so that it begins at a place. */
  scrollTo(x: number): void {
    const scroller = this.#scroller;
    if (scroller === undefined) return;
    scroller.scrollLeft = x;
    // What the browser made of it: it rounds, and it ends at the end.
    this.#put = scroller.scrollLeft;
    this.#x.value = this.#put;
  }

  scrollToEnd(): void {
    this.scrollTo(this.#scroller?.scrollWidth ?? 0);
  }

  /** Brings a part of a row into view, with some room around it. */
  reveal(row: number, fromX: number, toX: number, headHeight: number): void {
    const scroller = this.#scroller;
    if (scroller === undefined) return;
    const rowHeight = this.#rowHeight.peek();
    const top = row * rowHeight;
    const seen = scroller.clientHeight - headHeight - rowHeight;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top > scroller.scrollTop + seen) scroller.scrollTop = top - seen;
    this.#y.value = scroller.scrollTop;
    const width = scroller.clientWidth - this.#laneWidth;
    const isSeen = fromX >= scroller.scrollLeft && Math.min(toX, fromX + width / 2) <= scroller.scrollLeft + width;
    if (isSeen) return;
    this.following.value = false;
    this.scrollTo(Math.max(0, fromX - width / 4));
  }
}
