import { setTheme, theme, themes } from './theme.ts';

/** Switch between dark, light and the system's theme. */
export function ThemeSwitch() {
  return (
    <select
      class="theme-switch"
      aria-label="Colours"
      value={theme.value}
      onChange={({ currentTarget }) => setTheme(themes.find((name) => name === currentTarget.value) ?? 'system')}
    >
      {themes.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}
