import type { TimelineLink } from '../../src/inspect/timeline/timeline-turns.ts';
import { toX, type TimeScale } from './time-scale.ts';
import type { TurnPlaces } from './turn-places.ts';
import type { DrawnWindow } from './viewport.ts';

/** Maximum number of arrows, and number from which they are drawn faintly. */
const mostArrows = 400;
const manyArrows = 40;

/** Arrows to turns from the turn or call that caused them. Hidden from screen readers: turns have the same in words. */
export function CauseArrows(props: {
  readonly links: readonly TimelineLink[];
  /** Turn whose arrows are highlighted. */
  readonly highlighted: string | undefined;
  readonly places: TurnPlaces;
  readonly scale: TimeScale;
  readonly now: number;
  readonly window: DrawnWindow;
  /** Returns the vertical middle of a row's bar. */
  readonly middleOf: (row: number) => number;
  readonly height: number;
  readonly left: number;
}) {
  const { links, highlighted, window, height, left } = props;
  const width = window.untilX - window.fromX;
  const isHighlighted = ({ from, to }: TimelineLink): boolean => from === highlighted || to === highlighted;
  const arrows: { readonly link: TimelineLink; readonly path: string }[] = [];
  // Arrows of the highlighted turn come first, so that they are always drawn.
  for (const link of [...links.filter(isHighlighted), ...links.filter((other) => !isHighlighted(other))]) {
    const path = pathOf(link, props);
    if (path !== undefined) arrows.push({ link, path });
    if (arrows.length > mostArrows) break;
  }
  if (arrows.length === 0) return null;
  const isCut = arrows.length > mostArrows;
  if (isCut) arrows.length = mostArrows;
  const drawing = (
    <svg
      class={`arrows ${arrows.length > manyArrows ? 'is-many' : ''}`}
      aria-hidden="true"
      viewBox={`${window.fromX} 0 ${width} ${height}`}
      style={{ left: `${left + window.fromX}px`, width: `${width}px`, height: `${height}px` }}
    >
      <defs>
        <marker id="arrow-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path d="M0 0.5 L8 4 L0 7.5 z" fill="context-stroke" />
        </marker>
      </defs>
      {arrows.map(({ link, path }) => (
        <path
          key={`${link.kind} ${link.from} ${link.to} ${link.callId ?? ''}`}
          class={`arrow is-${link.kind} ${isHighlighted(link) ? 'is-highlighted' : ''}`}
          data-from={link.from}
          data-to={link.to}
          data-kind={link.kind}
          d={path}
          marker-end="url(#arrow-head)"
        />
      ))}
    </svg>
  );
  if (!isCut) return drawing;
  return (
    <>
      {drawing}
      <p class="arrows-cut small" role="status">
        Only {mostArrows} arrows are drawn. Zoom in, or point at a turn, to see all of them.
      </p>
    </>
  );
}

/** Returns the path of an arrow; undefined when both ends are out of view on the same side. */
function pathOf(
  link: TimelineLink,
  { places, scale, now, window, middleOf }: Parameters<typeof CauseArrows>[0],
): string | undefined {
  const [source, target] = [places.find(link.from), places.find(link.to)];
  if (source === undefined || target === undefined) return undefined;
  const call = link.callId === undefined ? undefined : source.bar.calls.find(({ callId }) => callId === link.callId);
  const toPx = toX(scale, target.bar.from);
  const fromPx = Math.min(toPx, toX(scale, call?.from ?? source.bar.to ?? now));
  const rows = [source.row, target.row];
  if (toPx < window.fromX || fromPx > window.untilX) return undefined;
  if (Math.max(...rows) < window.firstRow || Math.min(...rows) > window.lastRow) return undefined;
  return wayOf({ x: fromPx, y: middleOf(source.row) }, { x: toPx, y: middleOf(target.row) }, toX(scale, source.bar.from));
}

interface Place {
  readonly x: number;
  readonly y: number;
}

/** Half the height of a bar. */
const half = 8;

/** Returns the path from the top or bottom of the cause to the beginning of the effect; within a row, above the bars. */
function wayOf(from: Place, to: Place, causeX: number): string {
  if (from.y === to.y) {
    const x = Math.max(causeX, Math.min(from.x, to.x - 22));
    return `M${x} ${from.y - half} C${x + 5} ${from.y - 18} ${to.x - 5} ${to.y - 18} ${to.x} ${to.y - half}`;
  }
  const side = to.y > from.y ? half : -half;
  const start = `M${from.x} ${from.y + side}`;
  // Too close for a curve from the left: goes straight down.
  if (to.x - from.x < 12) return `${start} L${to.x + 2} ${to.y - side}`;
  const bend = Math.min(60, (to.x - from.x) / 2);
  return `${start} C${from.x} ${(from.y + to.y) / 2} ${to.x - bend} ${to.y} ${to.x} ${to.y}`;
}
