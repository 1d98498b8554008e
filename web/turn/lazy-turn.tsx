import { useEffect, useState } from 'preact/hooks';
import type { RouteQuery } from '../routing/route.ts';
import type { TurnView } from './turn-view.tsx';

/** The view of a turn, once its script is loaded. */
let view: typeof TurnView | undefined;

/** Loads the script with the view of a turn. */
export async function loadTurnView(): Promise<typeof TurnView> {
  view ??= (await import('./turn-view.tsx')).TurnView;
  return view;
}

/** A turn, shown once its view is loaded. */
export function LazyTurn(props: { readonly turnId: string; readonly query: RouteQuery }) {
  const [, setLoaded] = useState(view !== undefined);
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    loadTurnView().then(
      () => setLoaded(true),
      () => setLost(true),
    );
  }, []);
  const View = view;
  if (View !== undefined) return <View {...props} />;
  return isLost ? (
    <p role="alert" class="empty problem">
      The server did not send the script for turns.{' '}
      <button type="button" onClick={() => location.reload()}>
        Load the page again
      </button>
    </p>
  ) : (
    <p class="empty faint">Loading…</p>
  );
}
