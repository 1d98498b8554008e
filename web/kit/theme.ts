import { signal } from '@preact/signals';

/** Themes of the page: the system's, or one the user chose. */
export const themes = ['system', 'light', 'dark'] as const;

/** A theme. */
export type Theme = (typeof themes)[number];

const key = 'cadre-theme';

/** Theme in use. */
export const theme = signal<Theme>(storedTheme());
apply(theme.peek());

/** Applies a theme and stores it where the browser allows that. */
export function setTheme(chosen: Theme): void {
  theme.value = chosen;
  apply(chosen);
  try {
    localStorage.setItem(key, chosen);
  } catch {
    // A page from a file, or a browser without storage: the theme holds until the page is closed.
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
