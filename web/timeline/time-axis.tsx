import type { Timeline } from '../../src/inspect/timeline/timeline.ts';
import { durationText } from '../../src/inspect/format/text/quantity-text.ts';
import { toX, type TimeScale } from './time-scale.ts';
import { timeTicks } from './time-ticks.ts';
import type { DrawnWindow } from './viewport.ts';

/** Properties of the axis and of the lines across all rows. */
export interface TimeAxisProps {
  readonly view: Timeline;
  readonly scale: TimeScale;
  readonly window: DrawnWindow;
  readonly now: number;
  readonly labelWidth: number;
  readonly expand: (from: number) => void;
}

/** Width of the mark of a resume, and maximum width of a tick's label. */
const flagPx = 18;
const tickPx = 44;

/** Axis of the time since the run began, with folds and resumes. */
export function TimeAxis({ view, scale, window, labelWidth, expand }: TimeAxisProps) {
  const inside = (x: number): number => Math.max(flagPx / 2, Math.min(scale.width - flagPx / 2, x));
  const flags = resumesIn(view, scale, window).map((resume) => ({ ...resume, x: inside(resume.x) }));
  const ticks = timeTicks(scale, view.from, window.fromX, window.untilX).filter(
    (tick) => !flags.some(({ x }) => tick.x < x + flagPx / 2 && tick.x + tickPx > x - flagPx / 2),
  );
  return (
    <div class="axis">
      <div class="axis-corner" style={{ width: `${labelWidth}px` }}>
        {labelWidth > 0 && <span class="faint">agents</span>}
      </div>
      <div class="axis-times" style={{ left: `${labelWidth}px` }}>
        {ticks.map(({ x, label }) => (
          <span key={label} class="tick faint number" style={{ left: `${x}px` }}>
            {label}
          </span>
        ))}
        {foldsIn(scale, window).map(({ from, to, x, width }) => (
          <button
            key={from}
            type="button"
            class="fold-button"
            style={{ left: `${x}px`, width: `${width}px` }}
            aria-label={`idle for ${durationText(to - from)}: expand`}
            title={`idle for ${durationText(to - from)}: expand`}
            onClick={() => expand(from)}
          >
            ⋯
          </button>
        ))}
        {flags.map(({ at, downMs, x }) => (
          <span
            key={at}
            class="resume-flag"
            role="img"
            style={{ left: `${x}px` }}
            aria-label={`resumed after ${durationText(downMs)}`}
            title={`resumed after ${durationText(downMs)}`}
          >
            ↻
          </span>
        ))}
      </div>
    </div>
  );
}

/** Lines behind all rows. */
export function TimeLines({ view, scale, window, now, labelWidth }: Omit<TimeAxisProps, 'expand'>) {
  return (
    <div class="time-lines" aria-hidden="true" style={{ left: `${labelWidth}px` }}>
      {timeTicks(scale, view.from, window.fromX, window.untilX).map(({ x, label }) => (
        <i key={label} class="time-line" style={{ left: `${x}px` }} />
      ))}
      {foldsIn(scale, window).map(({ from, x, width }) => (
        <i key={`fold ${from}`} class="time-fold" style={{ left: `${x}px`, width: `${width}px` }} />
      ))}
      {resumesIn(view, scale, window).map(({ at, x }) => (
        <i key={`resume ${at}`} class="time-line is-resume" style={{ left: `${x}px` }} />
      ))}
      {now > view.to && <i class="time-line is-now" style={{ left: `${toX(scale, now)}px` }} />}
    </div>
  );
}

function foldsIn(scale: TimeScale, { fromX, untilX }: DrawnWindow): TimeScale['segments'] {
  return scale.segments.filter(({ isFolded, x, width }) => isFolded && x <= untilX && x + width >= fromX);
}

function resumesIn(view: Timeline, scale: TimeScale, { fromX, untilX }: DrawnWindow) {
  return view.resumes.map((resume) => ({ ...resume, x: toX(scale, resume.at) })).filter(({ x }) => x >= fromX && x <= untilX);
}
