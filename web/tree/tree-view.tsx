import { tree } from '../../src/inspector/tree.ts';
import { useView } from '../run/run-context.ts';
import type { RouteQuery } from '../routing/route.ts';
import { Text } from '../kit/text.tsx';

/** The agents of the run. */
export function TreeView(_: { readonly query: RouteQuery }) {
  const view = useView(tree);
  return <Text value={JSON.stringify(view.value, undefined, 2) ?? ''} />;
}
