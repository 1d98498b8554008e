import type { ComponentChildren } from 'preact';
import { keysAreShown } from './keys.ts';
import { ThemeSwitch } from './theme-switch.tsx';

/** Line at the top of every page: link to the list of runs, the page's title, and global settings. */
export function TopBar({ children }: { readonly children: ComponentChildren }) {
  return (
    <header class="top">
      <a class="brand" href="#/">
        Cadre
      </a>
      <div class="top-what">{children}</div>
      <ThemeSwitch />
      <button type="button" class="for-keys" onClick={() => (keysAreShown.value = true)}>
        keys <kbd>?</kbd>
      </button>
    </header>
  );
}
