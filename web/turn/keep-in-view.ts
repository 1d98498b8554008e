/** Frames within which the content above an element gets its final height: blocks are filled as they come near. */
const framesToSettle = 30;

/**
 * Scrolls an element to the middle of the view, opens folds around it, and keeps it there while the content above it grows, unless the
 * reader scrolls or types. Returns a function that stops that.
 */
export function keepInView(find: () => Element | undefined): () => void {
  const stop = new AbortController();
  const show = (left: number): void => {
    if (stop.signal.aborted) return;
    const element = find();
    const fold = element?.closest('details');
    if (fold !== null && fold !== undefined) fold.open = true;
    element?.scrollIntoView({ block: 'center' });
    if (left > 0) requestAnimationFrame(() => show(left - 1));
    else stop.abort();
  };
  for (const name of ['wheel', 'touchmove', 'keydown', 'pointerdown'])
    addEventListener(name, () => stop.abort(), { signal: stop.signal, capture: true, passive: true });
  show(framesToSettle);
  return () => stop.abort();
}
