import { toVisibleText } from './visible-text.ts';

/** Field that filters by one of the existing values; an empty value shows all. */
export function PickField(props: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly string[];
  readonly onPick: (value: string) => void;
}) {
  const { label, value, options, onPick } = props;
  const offered = [...new Set(value === '' ? options : [...options, value])];
  return (
    <select aria-label={label} value={value} onChange={({ currentTarget }) => onPick(currentTarget.value)}>
      <option value="">any {label}</option>
      {offered.map((option) => (
        <option key={option} value={option}>
          {toVisibleText(option)}
        </option>
      ))}
    </select>
  );
}
