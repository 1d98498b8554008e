import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useKeys } from './keys.ts';

/** A button with what is needed now and then below it; Escape closes it, and nothing behind it. */
export function Menu(props: { readonly label: string; readonly children: (close: () => void) => ComponentChildren }) {
  const { label, children } = props;
  const [isOpen, setOpen] = useState(false);
  const summary = useRef<HTMLElement>(null);
  const close = (): void => {
    setOpen(false);
    // Where it was opened is where one goes on; a dialog that comes gives the focus back to here.
    summary.current?.focus();
  };
  return (
    <details class="menu" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary ref={summary} class="button">
        {label}
      </summary>
      {isOpen && <MenuItems close={close}>{children(close)}</MenuItems>}
    </details>
  );
}

function MenuItems({ close, children }: { readonly close: () => void; readonly children: ComponentChildren }) {
  useKeys([{ keys: 'Escape', does: 'close the menu', run: close }]);
  return <div class="menu-items">{children}</div>;
}
