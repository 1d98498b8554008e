import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useKeys } from './keys.ts';

/** A button with a menu below it; Escape closes only the menu. */
export function Menu(props: { readonly label: string; readonly children: (close: () => void) => ComponentChildren }) {
  const { label, children } = props;
  const [isOpen, setOpen] = useState(false);
  const summary = useRef<HTMLElement>(null);
  const close = (): void => {
    setOpen(false);
    // Focus returns to the button; a dialog that opens returns it here, too.
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
