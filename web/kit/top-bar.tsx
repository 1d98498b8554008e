import type { ComponentChildren } from 'preact';
import { actors } from '../../src/core/by.ts';
import { serverInfo } from '../data/server-info.ts';
import { keysAreShown } from './keys.ts';
import { ThemeSwitch } from './theme-switch.tsx';
import { toVisibleText } from './visible-text.ts';

/** Name and role of the person, on a server that asks who looks. */
function You() {
  const you = serverInfo.value?.you;
  if (you === undefined || you.name === actors.anyone) return null;
  return (
    <span class="you small faint" title={`What you do here is recorded as done by ${you.name}, with the role ${you.role}.`}>
      {toVisibleText(you.name)} <span class="badge">{you.role}</span>
    </span>
  );
}

/** Line at the top of every page: link to the list of runs, the page's title, and global settings. */
export function TopBar({ children }: { readonly children: ComponentChildren }) {
  return (
    <header class="top">
      <a class="brand" href="#/">
        Cadre
      </a>
      <div class="top-what">{children}</div>
      <You />
      <ThemeSwitch />
      <button type="button" class="for-keys" onClick={() => (keysAreShown.value = true)}>
        keys <kbd>?</kbd>
      </button>
    </header>
  );
}
