/** Options of a row window. */
export interface RowWindowOptions {
  readonly count: number;
  /** Height of a row in pixels, until it is measured. */
  readonly estimate: number;
  readonly keyOf: (index: number) => string;
  /** Row that is rendered wherever the list is scrolled to, such as the focused one. */
  readonly pinned?: number | undefined;
}

/** A rendered row, with its distance from the top in pixels. */
export interface WindowRow {
  readonly index: number;
  readonly key: string;
  readonly start: number;
}

/** Number of rows rendered above and below the view. */
const overscan = 8;
/** Rounds in which a scroll target is measured and scrolled to again. */
const roundsToSettle = 10;

/**
 * Rows of a scrolled list that are in view. Row heights are measured, by key, and estimated before; rows in view stay where they are when
 * rows above them turn out higher.
 */
export class RowWindow {
  readonly #redraw: () => void;
  readonly #heights = new Map<string, number>();
  readonly #resized = new ResizeObserver((entries) => this.#measure(entries.map((entry) => entry.target)));
  #options: RowWindowOptions;
  #scroller: HTMLElement | undefined;
  #starts: Float64Array | undefined;
  #target: { readonly index: number; readonly align: 'auto' | 'center' | 'end'; rounds: number } | undefined;

  constructor(options: RowWindowOptions, redraw: () => void) {
    this.#options = options;
    this.#redraw = redraw;
  }

  setOptions(options: RowWindowOptions): void {
    this.#options = options;
    this.#starts = undefined;
  }

  /** Watches the scrolling element; the returned function stops that. */
  attach(scroller: HTMLElement): () => void {
    this.#scroller = scroller;
    const watch = new ResizeObserver(() => this.#redraw());
    watch.observe(scroller);
    // A scroll by the user cancels a programmatic one.
    const leave = (): void => (this.#target = undefined);
    scroller.addEventListener('scroll', this.#redraw, { passive: true });
    for (const name of ['wheel', 'touchmove', 'keydown']) scroller.addEventListener(name, leave, { passive: true });
    return () => {
      watch.disconnect();
      this.#resized.disconnect();
      scroller.removeEventListener('scroll', this.#redraw);
    };
  }

  get totalHeight(): number {
    return this.#startOf(this.#options.count);
  }

  /** Index of the first row in view. */
  get first(): number {
    return this.#at(this.#scroller?.scrollTop ?? 0);
  }

  /** Returns the rows to render, from the top down. */
  rows(): readonly WindowRow[] {
    const { count, keyOf, pinned } = this.#options;
    const top = this.#scroller?.scrollTop ?? 0;
    const from = Math.max(0, this.#at(top) - overscan);
    const to = Math.min(count, this.#at(top + (this.#scroller?.clientHeight ?? 0)) + 1 + overscan);
    const indexes = Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset);
    if (pinned !== undefined && pinned >= 0 && pinned < count) {
      if (pinned < from) indexes.unshift(pinned);
      else if (pinned >= to) indexes.push(pinned);
    }
    return indexes.map((index) => ({ index, key: keyOf(index), start: this.#startOf(index) }));
  }

  /** The `ref` of each row's element, whose `data-index` is its index. */
  readonly measure = (element: HTMLElement | null): void => {
    if (element === null) return;
    this.#resized.observe(element);
    this.#measure([element]);
  };

  scrollTo(index: number, align: 'auto' | 'center' | 'end'): void {
    this.#target = { index, align, rounds: roundsToSettle };
    this.#reach();
  }

  #measure(elements: readonly Element[]): void {
    let isChanged = false;
    for (const element of elements) {
      if (!element.isConnected) {
        this.#resized.unobserve(element);
        continue;
      }
      const index = Number(element.getAttribute('data-index'));
      if (index < this.#options.count) isChanged = this.#note(index, element.getBoundingClientRect().height) || isChanged;
    }
    if (!isChanged) return;
    this.#reach();
    this.#redraw();
  }

  #note(index: number, height: number): boolean {
    const key = this.#options.keyOf(index);
    const before = this.#heights.get(key) ?? this.#options.estimate;
    if (Math.abs(before - height) < 0.5) return false;
    const start = this.#startOf(index);
    this.#heights.set(key, height);
    this.#starts = undefined;
    const scroller = this.#scroller;
    if (scroller !== undefined && start + before <= scroller.scrollTop) scroller.scrollTop += height - before;
    return true;
  }

  /** Scrolls to the target, again when rows on the way turn out to have other heights. */
  #reach(): void {
    const target = this.#target;
    const scroller = this.#scroller;
    if (target === undefined || scroller === undefined || target.rounds-- <= 0) return;
    const start = this.#startOf(target.index);
    const end = this.#startOf(target.index + 1);
    const view = scroller.clientHeight;
    const isSeen = start >= scroller.scrollTop && end <= scroller.scrollTop + view;
    if (target.align === 'center') scroller.scrollTop = start - (view - (end - start)) / 2;
    else if (target.align === 'end') scroller.scrollTop = end - view;
    else if (!isSeen) scroller.scrollTop = start < scroller.scrollTop ? start : end - view;
  }

  #startOf(index: number): number {
    const { count, keyOf, estimate } = this.#options;
    if (this.#starts === undefined) {
      const starts = new Float64Array(count + 1);
      for (let at = 0; at < count; at++) starts[at + 1] = (starts[at] ?? 0) + (this.#heights.get(keyOf(at)) ?? estimate);
      this.#starts = starts;
    }
    return this.#starts[Math.min(index, count)] ?? 0;
  }

  /** Returns the row at a distance from the top. */
  #at(offset: number): number {
    let low = 0;
    let high = Math.max(0, this.#options.count - 1);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#startOf(middle) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
