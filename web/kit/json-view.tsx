import { useState } from 'preact/hooks';
import { countText } from '../../src/inspect/format/text/quantity-text.ts';
import { isLarge } from './json-text.ts';
import { Text } from './text.tsx';
import { useMany } from './use-many.tsx';
import './json-view.css';

/** Maximum size of a part that is open at first, in characters. */
const small = 600;
/** Maximum size of a value laid out without folds, in characters. */
const plain = 2_000;

/** A value as indented JSON; large parts of a large value are folded. */
export function JsonView({ value, label }: { readonly value: unknown; readonly label: string }) {
  if (!isLarge(value, plain)) return <Text value={JSON.stringify(value, undefined, 2) ?? 'null'} label={label} />;
  return (
    <div class="text json" role="group" aria-label={label} dir="ltr">
      <Part value={value} isOpen />
    </div>
  );
}

function Part(props: { readonly name?: string; readonly value: unknown; readonly isOpen?: boolean }) {
  const { name, value, isOpen = false } = props;
  const key = name === undefined ? '' : `${JSON.stringify(name)}: `;
  if (typeof value !== 'object' || value === null || !isLarge(value, small))
    return <Text value={`${key}${JSON.stringify(value, undefined, 2) ?? 'null'}`} />;
  return <Fold words={key} value={value} isOpen={isOpen} />;
}

function Fold(props: { readonly words: string; readonly value: object; readonly isOpen: boolean }) {
  const { words, value } = props;
  const [isOpen, setOpen] = useState(props.isOpen);
  const isList = Array.isArray(value);
  const count = isList ? countText(value.length, 'value') : countText(Object.keys(value).length, 'key');
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Text value={`${words}${isList ? '[' : '{'}`} /> <span class="faint">{count}</span>
      </summary>
      {isOpen && <Inside value={value} />}
      {isOpen && <div>{isList ? ']' : '}'}</div>}
    </details>
  );
}

function Inside({ value }: { readonly value: object }) {
  const isList = Array.isArray(value);
  const [shown, more] = useMany(Object.entries(value));
  return (
    <div class="json-inside">
      {shown.map(([name, part]) => (
        <Part key={name} {...(isList ? {} : { name })} value={part} />
      ))}
      {more}
    </div>
  );
}
