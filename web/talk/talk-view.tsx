import { conversation } from '../../src/inspector/conversation.ts';
import { useView } from '../run/run-context.ts';
import type { RouteQuery } from '../routing/route.ts';
import { Text } from '../kit/text.tsx';

/** The conversation with the user. */
export function TalkView(_: { readonly query: RouteQuery }) {
  const view = useView(conversation);
  return <Text value={JSON.stringify(view.value, undefined, 2) ?? ''} />;
}
