import { timeline } from '../../src/inspector/timeline.ts';
import { useView } from '../run/run-context.ts';
import type { RouteQuery } from '../routing/route.ts';
import { Text } from '../kit/text.tsx';

/** The run over time. */
export function TimelineView(_: { readonly query: RouteQuery }) {
  const view = useView((state, { eventAt }) => timeline(state, { eventAt }));
  return <Text value={JSON.stringify(view.value, undefined, 2) ?? ''} />;
}
