import type { ComponentChildren } from 'preact';
import { goingUp, type RowsOptions, useVirtualRows } from './virtual-rows.ts';
import './virtual-list.css';

/** Properties of a virtual list. */
export interface VirtualListProps extends RowsOptions {
  readonly label: string;
  readonly row: (index: number) => ComponentChildren;
  readonly class?: string;
  readonly onScrollUp?: () => void;
}

/** A list of any length: only the rows in view are rendered, and measured. */
export function VirtualList(props: VirtualListProps) {
  const { count, label, row, class: name = '', onScrollUp } = props;
  const { scroller, virtual } = useVirtualRows(props);
  return (
    <div ref={scroller} class={`virtual ${name}`} role="list" aria-label={label} tabIndex={0} {...goingUp(onScrollUp)}>
      <div class="virtual-all" style={{ height: `${virtual.totalHeight}px` }}>
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
    </div>
  );
}
