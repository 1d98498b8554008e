import type { ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Views with a script of their own: what loads it, and a component that shows a view once it is there. */
function lazyViews<Views>(fetch: () => Promise<Views>) {
  let views: Views | undefined;
  const load = async (): Promise<Views> => (views ??= await fetch());
  const View = ({ show }: { readonly show: (views: Views) => ComponentChild }) => {
    const [, setLoaded] = useState(views !== undefined);
    const [isLost, setLost] = useState(false);
    useEffect(() => {
      load().then(
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
  };
  return { load, View };
}

/** The views of a turn and of the events. */
export const { load: loadLateViews, View: LazyView } = lazyViews(() => import('./late-views.tsx'));

/** The cards of pending requests. */
export const { View: RequestView } = lazyViews(() => import('../talk/request-list.tsx'));

/** The views for authors of profiles: comparisons of runs, coverage of tests. */
export const { View: AuthorView } = lazyViews(() => import('../author/author-views.tsx'));
