import type { Timeline } from '../../src/inspect/timeline/timeline.ts';

/** A stretch of time and its place in pixels; all folds have the same width, however long they took. */
interface Segment {
  readonly from: number;
  readonly to: number;
  readonly x: number;
  readonly width: number;
  readonly isFolded: boolean;
}

/** Mapping of times to pixels from the start of the run. */
export interface TimeScale {
  readonly segments: readonly Segment[];
  readonly pxPerMs: number;
  readonly width: number;
}

/** Time range of a run to lay out. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
  /** Idle stretches that are folded, in order. */
  readonly folds: Timeline['breaks'];
}

const foldPx = 36;
/** Maximum width that browsers can lay out, in pixels. */
const widestPx = 12_000_000;
const most = 20;

/** Returns the idle stretches longer than a twentieth of the view, except the expanded ones. */
export function foldedBreaks(view: Timeline, now: number, expanded: ReadonlySet<number>): Timeline['breaks'] {
  const idle = view.breaks.reduce((sum, { from, to }) => sum + to - from, 0);
  const least = Math.max(1_000, (now - view.from - idle) / 20);
  return view.breaks.filter(({ from, to }) => to - from >= least && !expanded.has(from));
}

/** Returns the scale at which the whole run fits into a width. */
export function fitPxPerMs(span: TimeSpan, widthPx: number): number {
  return Math.max(1, widthPx - span.folds.length * foldWidth(span, widthPx)) / activeMs(span);
}

/** Returns the nearest scale that can be drawn. */
export function clampPxPerMs(span: TimeSpan, widthPx: number, pxPerMs: number): number {
  const fit = fitPxPerMs(span, widthPx);
  return Math.max(fit, Math.min(pxPerMs, most, widestPx / activeMs(span)));
}

/** Lays out a run. */
export function timeScale(span: TimeSpan, widthPx: number, pxPerMs: number): TimeScale {
  const segments: Segment[] = [];
  let at = span.from;
  let x = 0;
  const add = (to: number, width: number, isFolded: boolean): void => {
    segments.push({ from: at, to, x, width, isFolded });
    at = to;
    x += width;
  };
  const fold = foldWidth(span, widthPx);
  for (const { from, to } of span.folds) {
    if (from > at) add(from, (from - at) * pxPerMs, false);
    add(to, fold, true);
  }
  const end = endOf(span);
  add(end, (end - at) * pxPerMs, false);
  return { segments, pxPerMs, width: x };
}

/** Returns the place of a time; times outside of the run are at its ends. */
export function toX({ segments, width }: TimeScale, time: number): number {
  const segment = segments[lastAtOrBefore(segments, (each) => each.from, time)];
  if (segment === undefined) return 0;
  if (time >= segment.to) return Math.min(width, segment.x + segment.width);
  return segment.x + Math.max(0, (time - segment.from) / (segment.to - segment.from)) * segment.width;
}

/** Returns the time at a place. */
export function toTime({ segments }: TimeScale, x: number): number {
  const segment = segments[lastAtOrBefore(segments, (each) => each.x, x)];
  if (segment === undefined) return 0;
  const share = segment.width === 0 ? 0 : Math.min(1, Math.max(0, (x - segment.x) / segment.width));
  return segment.from + share * (segment.to - segment.from);
}

/** Returns the index of the last sorted item that is not behind a value; 0 when all are. */
export function lastAtOrBefore<Thing>(things: readonly Thing[], of: (thing: Thing) => number, value: number): number {
  let low = 0;
  let high = things.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const thing = things[middle];
    if (thing !== undefined && of(thing) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Returns the width of a fold: many folds together take at most a third of the view. */
function foldWidth({ folds }: TimeSpan, widthPx: number): number {
  return folds.length === 0 ? 0 : Math.min(foldPx, widthPx / 3 / folds.length);
}

/** Returns the end of the layout: a moment stays visible behind a fold, and in a run without duration. */
function endOf({ from, to, folds }: TimeSpan): number {
  return Math.max(to, (folds.at(-1)?.to ?? from) + 1);
}

function activeMs(span: TimeSpan): number {
  return Math.max(1, endOf(span) - span.from - span.folds.reduce((sum, fold) => sum + fold.to - fold.from, 0));
}
