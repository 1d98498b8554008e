/** Milliseconds a window may be hidden before it closes its stream. */
const awayMs = 5_000;

/**
 * Reports when the window becomes visible, and when it has been hidden for a while. Browsers open six connections to a server for all
 * windows together, so a hidden one must not keep one for its stream. Returns a function that stops watching.
 */
export function watchView(handlers: { readonly shown: () => void; readonly away: () => void }): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(handlers.away, awayMs);
    else handlers.shown();
  };
  document.addEventListener('visibilitychange', look);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', look);
  };
}
