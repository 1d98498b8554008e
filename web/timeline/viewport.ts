import { computed, signal } from '@preact/signals';

/** Zoom of the timeline: the whole run, or a scale in pixels per millisecond. */
export type Zoom = { readonly kind: 'all' } | { readonly kind: 'scale'; readonly pxPerMs: number };

/** The drawn range: somewhat more than the visible one, in steps, so that small moves need no redraw. */
export interface DrawnWindow {
  readonly fromX: number;
  readonly untilX: number;
  readonly firstRow: number;
  readonly lastRow: number;
}

/** Steps of the drawn range, in pixels and rows. */
const stepX = 256;
const stepRows = 4;

/** The visible part of a timeline. The browser scrolls; this class knows the position, and whether the view follows a running run. */
export class Viewport {
  readonly zoom = signal<Zoom>({ kind: 'all' });
  /** True while the view follows the live edge. */
  readonly following = signal(true);
  readonly width = signal(0);
  readonly #height = signal(0);
  readonly #x = signal(0);
  readonly #y = signal(0);
  readonly #rowHeight = signal(1);
  #scroller: HTMLElement | undefined;
  #labelWidth = 0;
  /** Position set last by this class, to recognize scrolling by the reader. */
  #put = 0;

  /** Drawn range; changes only when the view has moved by a step. */
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

  /** Watches an element until the returned function is called; its first `labelWidth` pixels are labels. */
  watch(scroller: HTMLElement, labelWidth: number, rowHeight: number): () => void {
    this.#scroller = scroller;
    this.#labelWidth = labelWidth;
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

  /** Handles a scroll; returns true when the reader did it. */
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

  /** Scrolls the view to begin at a place. */
  scrollTo(x: number): void {
    const scroller = this.#scroller;
    if (scroller === undefined) return;
    scroller.scrollLeft = x;
    // Reads back the position, which the browser rounds and limits.
    this.#put = scroller.scrollLeft;
    this.#x.value = this.#put;
  }

  scrollToEnd(): void {
    this.scrollTo(this.#scroller?.scrollWidth ?? 0);
  }

  /** Scrolls a part of a row into view, with some room around it. */
  reveal(row: number, fromX: number, toX: number, headHeight: number): void {
    const scroller = this.#scroller;
    if (scroller === undefined) return;
    const rowHeight = this.#rowHeight.peek();
    const top = row * rowHeight;
    const seen = scroller.clientHeight - headHeight - rowHeight;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top > scroller.scrollTop + seen) scroller.scrollTop = top - seen;
    this.#y.value = scroller.scrollTop;
    const width = scroller.clientWidth - this.#labelWidth;
    const isSeen = fromX >= scroller.scrollLeft && Math.min(toX, fromX + width / 2) <= scroller.scrollLeft + width;
    if (isSeen) return;
    this.following.value = false;
    this.scrollTo(Math.max(0, fromX - width / 4));
  }
}
