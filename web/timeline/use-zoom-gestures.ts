import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Zooms by a factor, around a place of the screen. */
export type ZoomBy = (factor: number, clientX: number) => void;

/** Binds Ctrl with the wheel (also the pinch of a touchpad) and a pinch of two fingers; one step per frame. */
export function useZoomGestures(element: RefObject<HTMLElement | null>, zoomBy: ZoomBy): void {
  useEffect(() => {
    const target = element.current;
    if (target === null) return undefined;
    const stop = new AbortController();
    const zoom = oncePerFrame(zoomBy, stop.signal);
    const { signal } = stop;
    target.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.004)), event.clientX);
      },
      { passive: false, signal },
    );
    pinch(target, zoom, signal);
    return () => stop.abort();
  }, [element, zoomBy]);
}

function pinch(target: HTMLElement, zoom: ZoomBy, signal: AbortSignal): void {
  let distance: number | undefined;
  target.addEventListener(
    'touchmove',
    (event) => {
      const [one, two] = event.touches;
      if (one === undefined || two === undefined) return;
      event.preventDefault();
      const apart = Math.max(20, Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY));
      if (distance !== undefined) zoom(apart / distance, (one.clientX + two.clientX) / 2);
      distance = apart;
    },
    { passive: false, signal },
  );
  for (const type of ['touchend', 'touchcancel'] as const)
    target.addEventListener(type, () => (distance = undefined), { passive: true, signal });
}

function oncePerFrame(zoomBy: ZoomBy, signal: AbortSignal): ZoomBy {
  let waiting: { factor: number; clientX: number } | undefined;
  return (factor, clientX) => {
    if (waiting !== undefined) {
      waiting = { factor: waiting.factor * factor, clientX };
      return;
    }
    waiting = { factor, clientX };
    requestAnimationFrame(() => {
      if (waiting !== undefined && !signal.aborted) zoomBy(waiting.factor, waiting.clientX);
      waiting = undefined;
    });
  };
}
