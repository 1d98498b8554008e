import type { ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type * as LateViews from './late-views.tsx';

/** The views of a turn and of the events, once their script is loaded. */
let views: typeof LateViews | undefined;

/** Loads the script with the views that the page does not begin with. */
export async function loadLateViews(): Promise<typeof LateViews> {
  views ??= await import('./late-views.tsx');
  return views;
}

/** A view, shown once its script is loaded. */
export function LazyView({ show }: { readonly show: (views: typeof LateViews) => ComponentChild }) {
  const [, setLoaded] = useState(views !== undefined);
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    loadLateViews().then(
      () => setLoaded(true),
      () => setLost(true),
    );
  }, []);
  if (views !== undefined) return <>{show(views)}</>;
  return isLost ? (
    <p role="alert" class="empty problem">
      The server did not send the script for this view.{' '}
      <button type="button" onClick={() => location.reload()}>
        Load the page again
      </button>
    </p>
  ) : (
    <p class="empty faint">Loading…</p>
  );
}
