import { elementScroll, observeElementOffset, observeElementRect, Virtualizer, type VirtualItem } from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import './virtual-list.css';

/** What a virtual list needs. */
export interface VirtualListProps {
  readonly count: number;
  /** Height of a row in pixels, as far as one can say before it is there. */
  readonly estimate: number;
  readonly label: string;
  readonly row: (index: number) => ComponentChildren;
  readonly keyOf: (index: number) => string;
  /** Keeps this row in view when it changes. */
  readonly scrollTo?: number | undefined;
  readonly class?: string;
}

/** A list of any length: only the rows in view are there, measured as they come. */
export function VirtualList({ count, estimate, label, row, keyOf, scrollTo, class: name }: VirtualListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [, redraw] = useState({});
  const [virtual] = useState(
    () =>
      new Virtualizer<HTMLDivElement, HTMLElement>({
        count,
        getScrollElement: () => scroller.current,
        estimateSize: () => estimate,
        getItemKey: keyOf,
        overscan: 8,
        scrollToFn: elementScroll,
        observeElementRect,
        observeElementOffset,
        onChange: () => redraw({}),
      }),
  );
  virtual.setOptions({ ...virtual.options, count, getItemKey: keyOf, estimateSize: () => estimate });
  useLayoutEffect(() => virtual._didMount(), [virtual]);
  useLayoutEffect(() => virtual._willUpdate());
  useLayoutEffect(() => {
    if (scrollTo !== undefined && scrollTo >= 0) virtual.scrollToIndex(scrollTo, { align: 'auto' });
  }, [virtual, scrollTo]);
  return (
    <div ref={scroller} class={`virtual ${name ?? ''}`} role="list" aria-label={label} tabIndex={0}>
      <div class="virtual-all" style={{ height: `${virtual.getTotalSize()}px` }}>
        {virtual.getVirtualItems().map((item: VirtualItem) => (
          <div
            key={item.key}
            ref={virtual.measureElement}
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
