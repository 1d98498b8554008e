import { setTheme, theme, themes } from './theme.ts';

/** Dark, light, or as the system says. */
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
