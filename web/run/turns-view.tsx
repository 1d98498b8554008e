import { turnList } from '../../src/inspector/turn-list.ts';
import { useView } from '../run/run-context.ts';
import type { RouteQuery } from '../routing/route.ts';
import { Text } from '../kit/text.tsx';

/** All turns, as a list. */
export function TurnsView(_: { readonly query: RouteQuery }) {
  const view = useView((state) => turnList(state));
  return <Text value={JSON.stringify(view.value, undefined, 2) ?? ''} />;
}
