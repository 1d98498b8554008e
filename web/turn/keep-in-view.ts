/** Frames in which what stands above an element gets the height it will have: blocks of lines are filled as they come near. */
const framesToSettle = 30;

/**
 * Brings an element into the middle of the view, out of a fold that is closed, and keeps it there while what stands above it
 * grows, unless the reader scrolls or types. Returns how to stop.
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
