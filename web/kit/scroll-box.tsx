import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** A box that scrolls when its content is larger, also by key: it is focusable only then. */
export function ScrollBox(props: {
  readonly class: string;
  readonly label?: string | undefined;
  readonly children: ComponentChildren;
}) {
  const { class: name, label, children } = props;
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = element.current;
    if (box === null) return undefined;
    const look = (): void => {
      if (box.scrollHeight > box.clientHeight || box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute('tabindex');
    };
    const watch = new ResizeObserver(look);
    watch.observe(box);
    for (const child of box.children) watch.observe(child);
    return () => watch.disconnect();
  });
  return (
    <div ref={element} class={name} {...(label === undefined ? {} : { role: 'group', 'aria-label': label })}>
      {children}
    </div>
  );
}
