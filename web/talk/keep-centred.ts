/** Frames for which an element is kept in the middle while the page around it is laid out. */
const frames = 20;

/** Scrolls an element to the middle of the window, or its beginning to the top if it is higher; again until the page is laid out or the user scrolls. */
export function keepCentred(element: HTMLElement): () => void {
  let left = frames;
  let frame = 0;
  const stop = (): void => {
    left = 0;
    cancelAnimationFrame(frame);
    for (const name of events) window.removeEventListener(name, stop, true);
  };
  const centre = (): void => {
    const isHigher = element.getBoundingClientRect().height > innerHeight * 0.6;
    element.scrollIntoView({ block: isHigher ? 'start' : 'center', behavior: 'instant' });
    left -= 1;
    if (left > 0) frame = requestAnimationFrame(centre);
    else stop();
  };
  for (const name of events) window.addEventListener(name, stop, { capture: true, passive: true });
  centre();
  return stop;
}

const events = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;
