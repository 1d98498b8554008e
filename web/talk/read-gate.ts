import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isEndOnScreen } from './on-screen.ts';

/** Opens once the end of a text was on screen. */
export interface ReadGate {
  /** For the element whose last line must have been on screen. */
  readonly text: RefObject<HTMLDivElement | null>;
  readonly isOpen: boolean;
  /** The same, as of now instead of the last rendering: for event handlers. */
  readonly isOpenFor: (what: string) => boolean;
}

/**
 * Opens when the last line of a text was on screen in a painted frame, and starts over whenever `what` changes, which names the content
 * that the person is shown. While a part of the text is still to follow (`data-more`), its end is not the end.
 */
export function useReadGate(what: string, onOpen?: () => void): ReadGate {
  const text = useRef<HTMLDivElement>(null);
  /** Content whose end was on screen. A ref, since an event may come before the next rendering. */
  const read = useRef<string | undefined>(undefined);
  const [, redraw] = useState({});
  useLayoutEffect(() => {
    const element = text.current;
    if (element === null || read.current === what) return undefined;
    let frame = 0;
    const look = (): void => {
      frame = 0;
      if (element.querySelector('[data-more]') === null && isEndOnScreen(element)) {
        stop();
        read.current = what;
        redraw({});
        onOpen?.();
      } else if (isNear) ask();
    };
    const ask = (): void => {
      frame ||= requestAnimationFrame(look);
    };
    // Frames are watched only while some of the text is in the window: something may cover its end, and go away without an event.
    let isNear = false;
    const watch = new IntersectionObserver((entries) => {
      isNear = entries.at(-1)?.isIntersecting === true;
      ask();
    });
    watch.observe(element);
    const stop = (): void => {
      watch.disconnect();
      cancelAnimationFrame(frame);
    };
    return stop;
  }, [what]);
  const isOpenFor = (shown: string): boolean => read.current === shown;
  return { text, isOpen: isOpenFor(what), isOpenFor };
}
