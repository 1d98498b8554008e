import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TimelineBar } from '../../src/inspect/timeline/timeline-bar.ts';
import { turnId } from '../inspect/journal-builder.ts';
import { rowMarks, marksOf } from '../../web/timeline/row-marks.ts';
import { fitPxPerMs, timeScale, toTime, toX, type TimeSpan } from '../../web/timeline/time-scale.ts';
import { sinceStart, timeTicks } from '../../web/timeline/time-ticks.ts';

/** Stretches of time with idle stretches between them, as in a run. */
const spans = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 9 }).map((lengths): TimeSpan => {
  let at = 1_000;
  const folds: { from: number; to: number }[] = [];
  for (const [index, length] of lengths.entries()) {
    if (index % 2 === 1) folds.push({ from: at, to: at + length });
    at += length;
  }
  return { from: 1_000, to: at, folds };
});

function bar(index: number, from: number, to: number): TimelineBar {
  return { turnId: turnId(`t${index}`), turnType: 'agent', status: 'completed', from, to, parts: [], calls: [] };
}

describe('where things lie on the timeline', () => {
  it('times lie in order, all of them in the width when all is shown, and are found again', () => {
    fc.assert(
      fc.property(
        spans,
        fc.integer({ min: 200, max: 3_000 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
        (span, width, shares) => {
          const scale = timeScale(span, width, fitPxPerMs(span, width));
          expect(scale.width).toBeCloseTo(width, 3);
          const times = [0, 1, ...shares].map((share) => span.from + share * (span.to - span.from)).toSorted((a, b) => a - b);
          const places = times.map((time) => toX(scale, time));
          expect(places).toEqual(places.toSorted((a, b) => a - b));
          for (const [index, place] of places.entries())
            expect(toX(scale, toTime(scale, place))).toBeCloseTo(places[index] ?? 0, 3);
        },
      ),
    );
  });

  it('folds are of one width, however long they were', () => {
    const span = {
      from: 0,
      to: 10_000_000,
      folds: [
        { from: 100, to: 200 },
        { from: 400, to: 9_999_000 },
      ],
    };
    const scale = timeScale(span, 1_000, fitPxPerMs(span, 1_000));
    const widths = scale.segments.filter(({ isFolded }) => isFolded).map(({ width }) => width);
    expect(widths).toEqual([36, 36]);
  });

  it('every turn in view is drawn once: alone where it is wide enough, else in a block that counts it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 400 })), { maxLength: 80 }),
        fc.integer({ min: 1, max: 40 }),
        (gaps, least) => {
          let at = 0;
          const bars = gaps.map(([gap, length], index) => bar(index, (at += gap), (at += length)));
          const scale = timeScale({ from: 0, to: at + 1, folds: [] }, 600, fitPxPerMs({ from: 0, to: at + 1, folds: [] }, 600));
          const marks = rowMarks({ bars, kept: [] }, { scale, fromX: 0, untilX: scale.width, now: at, least });
          expect(marks.reduce((sum, mark) => sum + (mark.kind === 'turn' ? 1 : mark.count), 0)).toBe(bars.length);
          for (const mark of marks) expect(mark.width).toBeGreaterThanOrEqual(least);
        },
      ),
    );
  });

  it('draws fewer boxes than it may, however many turns there are, and the turn that is asked for alone', () => {
    const bars = Array.from({ length: 20_000 }, (_, index) => bar(index, index * 10, index * 10 + 9));
    const span = { from: 0, to: 200_000, folds: [] };
    const scale = timeScale(span, 60_000, 0.4);
    const window = { scale, fromX: 0, untilX: 80_000, now: 200_000 };
    const [marks = []] = marksOf([{ bars, kept: [777] }], window, 1_000);
    expect(marks.length).toBeLessThanOrEqual(1_000);
    expect(marks.filter((mark) => mark.kind === 'turn' && mark.bar.turnId === 't777')).toHaveLength(1);
  });

  it('the axis counts in steps people count in, and does not write over itself', () => {
    const span = { from: 5_000, to: 65_000, folds: [{ from: 20_000, to: 50_000 }] };
    const scale = timeScale(span, 900, fitPxPerMs(span, 900));
    const ticks = timeTicks(scale, span.from, 0, scale.width);
    expect(ticks.map(({ label }) => label)).toEqual(['0', '5 s', '10 s', '45 s', '50 s', '55 s', '1:00']);
    for (const [index, { x }] of ticks.entries()) expect(x - (ticks[index - 1]?.x ?? -100)).toBeGreaterThan(30);
    expect([999, 61_000, 3_600_000, 90_061_000].map((ms) => sinceStart(ms, 1_000))).toEqual([
      '0.999 s',
      '1:01',
      '1:00:00 h',
      '1 d 1:01:01',
    ]);
  });
});
