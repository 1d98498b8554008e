import type { RouteQuery } from '../routing/route.ts';
import { Text } from '../kit/text.tsx';
import { useView } from '../run/run-context.ts';

/** Everything about one turn. */
export function TurnView({ turnId }: { readonly turnId: string; readonly query: RouteQuery }) {
  const record = useView((_, store) => store.turn(turnId), [turnId]).value;
  return <Text value={JSON.stringify(record, undefined, 2) ?? 'there is no such turn'} />;
}
