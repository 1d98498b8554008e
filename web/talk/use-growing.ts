import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Keeps a text field as high as its text, so that it never scrolls inside. */
export function useGrowing(text: string): RefObject<HTMLTextAreaElement | null> {
  const area = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const element = area.current;
    if (element === null) return undefined;
    const fit = (): void => {
      element.style.blockSize = 'auto';
      element.style.blockSize = `${element.scrollHeight + element.offsetHeight - element.clientHeight}px`;
    };
    fit();
    let width = element.clientWidth;
    const watch = new ResizeObserver(() => {
      if (element.clientWidth === width) return;
      width = element.clientWidth;
      fit();
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, [text]);
  return area;
}
