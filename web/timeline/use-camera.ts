import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { RefObject } from 'preact';
import type { Timeline } from '../../src/inspect/timeline/timeline.ts';
import { setQuery } from '../routing/router.ts';
import type { RouteQuery } from '../routing/route.ts';
import { clampPxPerMs, fitPxPerMs, timeScale, toTime, toX, type TimeScale, type TimeSpan } from './time-scale.ts';
import { Viewport } from './viewport.ts';

/** Milliseconds the view must rest before the address is updated. */
const restMs = 300;

/** The visible range of a timeline, and functions to change it. */
export interface Camera {
  readonly viewport: Viewport;
  readonly scale: TimeScale;
  readonly isAll: boolean;
  /** Zooms around a place of the screen; around the middle without one. */
  readonly zoomBy: (factor: number, clientX?: number) => void;
  readonly zoomTo: (from: number, to: number) => void;
  readonly showAll: () => void;
  readonly follow: () => void;
  readonly scrolled: () => void;
}

/** Keeps the visible range of a timeline: in the scrolling element, and in the address (`from` and `to`, since its start). */
export function useCamera(scroller: RefObject<HTMLElement | null>, { view, span, query, labelWidth, rowHeight }: CameraOf): Camera {
  const viewport = useMemo(() => new Viewport(), []);
  /** Time to be placed at a position of the screen after the next layout. */
  const pinned = useRef<{ readonly time: number; readonly px: number } | undefined>(undefined);
  useLayoutEffect(
    () => (scroller.current === null ? undefined : viewport.watch(scroller.current, labelWidth, rowHeight)),
    [viewport, scroller, labelWidth, rowHeight],
  );
  const width = viewport.width.value;
  const zoom = viewport.zoom.value;
  const fit = fitPxPerMs(span, width);
  const pxPerMs = zoom.kind === 'all' ? fit : clampPxPerMs(span, width, zoom.pxPerMs);
  const scale = timeScale(span, width, pxPerMs);
  const now = useRef({ scale, span, fit, width, labelWidth });
  now.current = { scale, span, fit, width, labelWidth };

  const setScale = useCallback((next: number, time: number, px: number): void => {
    const { span: of, width: wide, fit: least } = now.current;
    const clamped = clampPxPerMs(of, wide, next);
    pinned.current = { time, px };
    viewport.zoom.value = clamped <= least * 1.0001 ? { kind: 'all' } : { kind: 'scale', pxPerMs: clamped };
  }, []);
  const zoomBy = useCallback((factor: number, clientX?: number): void => {
    const { scale: is, width: wide, labelWidth: label } = now.current;
    const left = scroller.current?.getBoundingClientRect().left ?? 0;
    const middle = viewport.following.value ? wide : wide / 2;
    const px = clientX === undefined ? middle : Math.max(0, clientX - left - label);
    // A zoomed view must not follow the live edge.
    if (px < wide) viewport.following.value = false;
    setScale(is.pxPerMs * factor, toTime(is, viewport.scrollLeft + px), px);
  }, []);
  const zoomTo = useCallback((from: number, to: number): void => {
    const { scale: is, width: wide } = now.current;
    const px = Math.max(1, toX(is, to) - toX(is, from));
    viewport.following.value = false;
    setScale((is.pxPerMs * wide * 0.8) / px, from, wide * 0.1);
  }, []);
  const remember = useRemember(viewport, view, now);

  useLayoutEffect(() => {
    if (pinned.current !== undefined) viewport.scrollTo(toX(scale, pinned.current.time) - pinned.current.px);
    else if (viewport.following.peek() && view.live) viewport.scrollToEnd();
    pinned.current = undefined;
  });
  useEffect(remember, [zoom]);
  useStart(
    query,
    view,
    (from, to) => {
      viewport.following.value = false;
      setScale(now.current.width / Math.max(1, to - from), from, 0);
    },
    width > 0,
  );
  return {
    viewport,
    scale,
    isAll: zoom.kind === 'all',
    zoomBy,
    zoomTo,
    showAll: () => (viewport.zoom.value = { kind: 'all' }),
    follow: () => {
      viewport.following.value = true;
      viewport.scrollToEnd();
    },
    scrolled: () => {
      if (viewport.scrolled()) remember();
    },
  };
}

interface CameraOf {
  readonly view: Timeline;
  readonly span: TimeSpan;
  readonly query: RouteQuery;
  readonly labelWidth: number;
  readonly rowHeight: number;
}

/** Goes to the range in the address, once there is room to show it. */
function useStart(query: RouteQuery, view: Timeline, goTo: (from: number, to: number) => void, isReady: boolean): void {
  const done = useRef(false);
  useLayoutEffect(() => {
    if (done.current || !isReady) return;
    done.current = true;
    const [from, to] = [Number(query['from']), Number(query['to'])];
    if (query['to'] !== undefined && Number.isFinite(from) && Number.isFinite(to) && to > from)
      goTo(view.from + from, view.from + to);
  });
}

/** Writes the visible range into the address when the view rests; nothing when it shows the whole run or follows the live edge. */
function useRemember(
  viewport: Viewport,
  view: Timeline,
  now: { readonly current: { readonly scale: TimeScale; readonly width: number } },
): () => void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const origin = view.from;
  const isMoving = useRef(view.live);
  isMoving.current = view.live && viewport.following.value;
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      const { scale, width } = now.current;
      const isNamed = viewport.zoom.peek().kind === 'scale' && !isMoving.current;
      const time = (px: number): string =>
        isNamed ? String(Math.round((toTime(scale, viewport.scrollLeft + px) - origin) * 100) / 100) : '';
      setQuery({ from: time(0), to: time(width) });
    }, restMs);
  }, [viewport, origin]);
}
