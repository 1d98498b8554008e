import { describeEvent } from '../../src/inspector/describe-event.ts';
import { useRun, useView } from './run-context.ts';
import type { RouteQuery } from '../routing/route.ts';
import { VirtualList } from '../kit/virtual-list.tsx';
import { toVisibleText } from '../kit/visible-text.ts';

/** The journal, event by event. */
export function EventsView(_: { readonly query: RouteQuery }) {
  const store = useRun();
  const count = useView((state) => state.seq).value ?? 0;
  return (
    <VirtualList
      label="Events"
      count={count}
      estimate={28}
      keyOf={(index) => String(index)}
      row={(index) => {
        const event = store.eventAt(index + 1);
        return event === undefined ? null : (
          <span>
            #{event.seq} {event.type} {toVisibleText(describeEvent(event))}
          </span>
        );
      }}
    />
  );
}
