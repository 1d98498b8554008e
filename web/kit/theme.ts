import { signal } from '@preact/signals';

/** How the page is coloured: as the system says, or as somebody chose. */
export const themes = ['system', 'light', 'dark'] as const;

/** One of them. */
export type Theme = (typeof themes)[number];

const key = 'cadre-theme';

/** The theme in use. */
export const theme = signal<Theme>(storedTheme());
apply(theme.peek());

/** Colours the page, and remembers it where the browser allows that. */
export function setTheme(chosen: Theme): void {
  theme.value = chosen;
  apply(chosen);
  try {
    localStorage.setItem(key, chosen);
  } catch {
    // A file from disk, or a browser that stores nothing: it holds until the page is left.
  }
}

function apply(chosen: Theme): void {
  if (chosen === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = chosen;
}

function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(key);
    return themes.find((name) => name === stored) ?? 'system';
  } catch {
    return 'system';
  }
}
