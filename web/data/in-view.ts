/** How long a window may be out of view before it lets go of its stream, in milliseconds. */
const awayMs = 5_000;

/**
 * Tells when the window comes into view, and when it has been out of it for a while. Browsers hold six connections to a server, for
 * all windows together: one that nobody looks at must not keep one for its stream. Returns how to stop.
 */
export function watchView(told: { readonly shown: () => void; readonly away: () => void }): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(told.away, awayMs);
    else told.shown();
  };
  document.addEventListener('visibilitychange', look);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', look);
  };
}
