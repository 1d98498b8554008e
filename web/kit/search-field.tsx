import { useRef } from 'preact/hooks';
import { useKeys } from './keys.ts';

/** A field that filters a list; the key `/` focuses it. */
export function SearchField(props: { readonly label: string; readonly value: string; readonly onChange: (value: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  useKeys([{ keys: '/', does: 'search', run: () => field.current?.select() }]);
  return (
    <input
      ref={field}
      type="search"
      aria-label={props.label}
      placeholder={`${props.label}  /`}
      value={props.value}
      onInput={({ currentTarget }) => props.onChange(currentTarget.value)}
    />
  );
}
