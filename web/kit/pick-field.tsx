import { toVisibleText } from './visible-text.ts';

/** Narrows what is shown to one of the values there are; an empty value is all of them. */
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
