import type { ComponentChildren } from 'preact';
import { goingUp, type RowsOptions, useVirtualRows } from './virtual-rows.ts';
import './virtual-list.css';

/** Properties of a virtual list. */
export interface VirtualListProps extends RowsOptions {
  readonly label: string;
  readonly row: (index: number) => ComponentChildren;
  readonly class?: string;
  readonly onScrollUp?: () => void;
  /** What follows the last row in the same scroller. */
  readonly after?: ComponentChildren;
}

/** A list of any length: only the rows in view are rendered, and measured. */
export function VirtualList(props: VirtualListProps) {
  const { count, label, row, class: name = '', onScrollUp, after } = props;
  const { scroller, virtual } = useVirtualRows(props);
  const list = { role: 'list', 'aria-label': label } as const;
  // What follows is no row of the list.
  const hasMore = after !== undefined;
  return (
    <div ref={scroller} class={`virtual ${name}`} tabIndex={0} {...(hasMore ? {} : list)} {...goingUp(onScrollUp)}>
      <div class="virtual-all" style={{ height: `${virtual.totalHeight}px` }} {...(hasMore ? list : {})}>
        {virtual.rows().map((item) => (
          <div
            key={item.key}
            ref={virtual.measure}
            class="virtual-row"
            role="listitem"
            aria-setsize={count}
            aria-posinset={item.index + 1}
            data-index={item.index}
            style={{ transform: `translateY(${item.start}px)` }}
          >
            {row(item.index)}
          </div>
        ))}
      </div>
      {after}
    </div>
  );
}
