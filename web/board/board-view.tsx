import { board } from '../../src/inspector/board.ts';
import { useView } from '../run/run-context.ts';
import type { RouteQuery } from '../routing/route.ts';
import { Text } from '../kit/text.tsx';

/** The work modules by status. */
export function BoardView(_: { readonly query: RouteQuery }) {
  const view = useView(board);
  return <Text value={JSON.stringify(view.value, undefined, 2) ?? ''} />;
}
