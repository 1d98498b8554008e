import type { TimelineBar, TimelineCall } from '../../src/inspect/timeline/timeline-bar.ts';
import { lastAtOrBefore, toX, type TimeScale } from './time-scale.ts';

/** Mark of a tool call below its turn's bar; `row` separates calls that ran at the same time. */
export interface CallMark {
  readonly call: TimelineCall;
  readonly x: number;
  readonly width: number;
  readonly row: number;
}

/** A turn wide enough to be drawn. */
export interface TurnMark {
  readonly kind: 'turn';
  readonly bar: TimelineBar;
  /** Number of the turn within its agent, from 1. */
  readonly number: number;
  readonly x: number;
  readonly width: number;
  /** Pixels of waiting before the turn. */
  readonly waited: number;
  readonly calls: readonly CallMark[];
}

/** Turns too short to be distinguished at this scale. */
export interface BlockMark {
  readonly kind: 'block';
  /** Index of its first turn within the row. */
  readonly index: number;
  readonly first: TimelineBar;
  readonly last: TimelineBar;
  readonly count: number;
  readonly failed: number;
  readonly x: number;
  readonly width: number;
}

/** A mark in a row. */
export type RowMark = TurnMark | BlockMark;

/** Drawn range of a row, and its resolution. */
export interface MarkWindow {
  readonly scale: TimeScale;
  readonly fromX: number;
  readonly untilX: number;
  readonly now: number;
  /** Width in pixels below which turns share a block. */
  readonly least: number;
}

/** A row to draw. */
export interface RowBars {
  readonly bars: readonly TimelineBar[];
  /** Indexes of turns drawn at any width and place. */
  readonly kept: readonly number[];
}

const callRows = 3;

/** Returns the marks of a row between two places, including a turn that began before the first place and still lasts there. */
export function rowMarks({ bars, kept }: RowBars, window: MarkWindow): readonly RowMark[] {
  const { scale, fromX, untilX, now, least } = window;
  const marks: RowMark[] = [];
  let block: Block | undefined;
  for (let index = firstInView(bars, window); index < bars.length; index++) {
    const bar = bars[index];
    if (bar === undefined) break;
    const x = toX(scale, bar.from);
    if (x > untilX) break;
    const end = toX(scale, bar.to ?? now);
    if (end < fromX) continue;
    if (end - x >= least || kept.includes(index)) {
      marks.push(turnMark(bar, index, window));
      continue;
    }
    // Blocks lie on a grid, so that they stay the same when the view moves.
    const cell = Math.floor(x / (least * 3));
    if (block?.cell !== cell) {
      block = { kind: 'block', cell, index, first: bar, last: bar, count: 0, failed: 0, x, width: 0 };
      marks.push(block);
    }
    block.last = bar;
    block.count++;
    if (bar.status === 'error') block.failed++;
    block.width = Math.max(least, end - block.x);
  }
  const single = marks.map((mark) => (mark.kind === 'block' && mark.count === 1 ? turnMark(mark.first, mark.index, window) : mark));
  for (const index of kept) keepMark(single, bars[index], index, window);
  return single;
}

type Block = { -readonly [Key in keyof BlockMark]: BlockMark[Key] } & { readonly cell: number };

/** Adds the mark of a turn out of view, at its end of the row: the order of marks never changes, so they keep the focus. */
function keepMark(marks: RowMark[], bar: TimelineBar | undefined, index: number, window: MarkWindow): void {
  if (bar === undefined || marks.some((mark) => mark.kind === 'turn' && mark.bar === bar)) return;
  const mark = turnMark(bar, index, window);
  if (mark.x < window.fromX) marks.unshift(mark);
  else marks.push(mark);
}

function firstInView(bars: readonly TimelineBar[], { scale, fromX }: MarkWindow): number {
  let index = lastAtOrBefore(bars, (bar) => toX(scale, bar.from), fromX);
  // Turns of one agent follow each other: only the previous one may reach into view.
  if (index > 0) index--;
  return index;
}

function turnMark(bar: TimelineBar, index: number, { scale, now, least }: MarkWindow): TurnMark {
  const x = toX(scale, bar.from);
  const width = Math.max(least, toX(scale, bar.to ?? now) - x);
  const [wait] = bar.parts;
  const waited = wait?.kind === 'wait' ? x - toX(scale, wait.from) : 0;
  return {
    kind: 'turn',
    bar,
    number: index + 1,
    x,
    width,
    waited,
    calls: width < least * 6 ? [] : callMarks(bar, x, width, scale, now),
  };
}

/** Returns as many calls as there is room for. */
function callMarks(bar: TimelineBar, barX: number, width: number, scale: TimeScale, now: number): readonly CallMark[] {
  const ends = Array.from({ length: callRows }, () => Number.NEGATIVE_INFINITY);
  return bar.calls.slice(0, Math.ceil(width / 6)).map((call) => {
    const x = toX(scale, call.from) - barX;
    const end = Math.max(x + 2, toX(scale, call.to ?? bar.to ?? now) - barX);
    const free = ends.findIndex((until) => until <= x);
    const row = free < 0 ? callRows - 1 : free;
    ends[row] = Math.max(ends[row] ?? 0, end + 1);
    return { call, x, width: end - x, row };
  });
}

/** Returns the marks of several rows, coarser until they are few enough to draw. */
export function marksOf(
  rows: readonly RowBars[],
  window: Omit<MarkWindow, 'least'>,
  most: number,
): readonly (readonly RowMark[])[] {
  for (let least = 3; ; least *= 2) {
    const marks = rows.map((row) => rowMarks(row, { ...window, least }));
    if (least > 1_000 || countOf(marks) <= most) return marks;
  }
}

function countOf(marks: readonly (readonly RowMark[])[]): number {
  let count = 0;
  for (const row of marks) for (const mark of row) count += mark.kind === 'turn' ? 2 + mark.calls.length : 1;
  return count;
}
