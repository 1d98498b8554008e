import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Approximate number of rows per block, and of blocks. */
const blockRows = 50;
const mostBlocks = 1_000;
/** Distance from the view, in pixels, at which a block is filled. */
const nearPx = 800;

/** Properties of a list of blocks. */
export interface BlocksProps {
  readonly count: number;
  /** Estimated height of a row, in pixels. */
  readonly estimate: number;
  readonly row: (index: number) => ComponentChildren;
  /** Index of a row that must exist, in view or not. */
  readonly hold?: number | undefined;
}

/** Any number of rows inside a page that scrolls, in blocks, of which only those near the view are filled. */
export function Blocks({ count, estimate, row, hold }: BlocksProps) {
  const size = Math.max(blockRows, Math.ceil(count / mostBlocks));
  const blocks = Array.from({ length: Math.ceil(count / size) }, (_, index) => index * size);
  return (
    <>
      {blocks.map((first) => (
        <Block
          key={first}
          first={first}
          last={Math.min(count, first + size)}
          estimate={estimate}
          row={row}
          isHeld={hold !== undefined && hold >= first && hold < first + size}
        />
      ))}
    </>
  );
}

interface BlockProps extends Pick<BlocksProps, 'estimate' | 'row'> {
  readonly first: number;
  readonly last: number;
  readonly isHeld: boolean;
}

function Block({ first, last, estimate, row, isHeld }: BlockProps) {
  const element = useRef<HTMLDivElement>(null);
  const height = useRef((last - first) * estimate);
  const [isNear, setNear] = useState(first === 0);
  useLayoutEffect(() => {
    const block = element.current;
    if (block === null) return undefined;
    const watch = observer();
    listeners.set(block, (near) => {
      // An emptied block keeps its measured height.
      if (!near) height.current = block.offsetHeight;
      setNear(near);
    });
    watch.observe(block);
    return () => watch.unobserve(block);
  }, []);
  const isFilled = isNear || isHeld;
  return (
    <div ref={element} class="t-block" style={isFilled ? undefined : { blockSize: `${height.current}px` }}>
      {isFilled && Array.from({ length: last - first }, (_, index) => row(first + index))}
    </div>
  );
}

const listeners = new WeakMap<Element, (isNear: boolean) => void>();
let watching: IntersectionObserver | undefined;

function observer(): IntersectionObserver {
  const margin = `${nearPx}px 0px`;
  // Browsers without scrollMargin fill blocks of inner scrollers only when they come into view.
  const options: IntersectionObserverInit & { readonly scrollMargin: string } = { rootMargin: margin, scrollMargin: margin };
  watching ??= new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) listeners.get(target)?.(isIntersecting);
  }, options);
  return watching;
}
