import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** A key binding. `keys` is one key, or two in sequence with a space between: `j`, `Escape`, `g t`. */
export interface KeyBinding {
  readonly keys: string;
  readonly does: string;
  /** Absent where the focused element handles the key; the binding is then only listed. */
  readonly run?: () => void;
}

/** Maximum time between two keys of a sequence, in milliseconds. */
const secondKeyMs = 1_200;

/** Current bindings by component; the latest takes precedence. */
const layers = signal<readonly { readonly current: readonly KeyBinding[] }[]>([]);

/** True while the dialog with the keys is open. */
export const keysAreShown = signal(false);

let first: { readonly key: string; readonly at: number } | undefined;

/** Binds keys while the component is mounted. Keys are ignored while the user types, and behind a dialog. */
export function useKeys(bindings: readonly KeyBinding[]): void {
  const layer = useRef(bindings);
  layer.current = bindings;
  // Binds before the paint: an effect comes after it, and a key in between would go to the bindings below.
  useLayoutEffect(() => {
    layers.value = [...layers.peek(), layer];
    return () => {
      layers.value = layers.peek().filter((other) => other !== layer);
    };
  }, []);
}

/** Returns all current bindings, each key once. */
export function boundKeys(): readonly KeyBinding[] {
  const found = new Map<string, KeyBinding>();
  for (const { current } of layers.value.toReversed())
    for (const binding of current) if (!found.has(binding.keys)) found.set(binding.keys, binding);
  return [...found.values()];
}

document.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (document.querySelector('dialog[open]') !== null) return;
  if (isTyping(event.target)) {
    // Escape leaves a field first; its other meaning needs another press.
    if (event.key === 'Escape' && event.target instanceof HTMLElement) event.target.blur();
    return;
  }
  const bound = boundKeys();
  const prefix = first !== undefined && event.timeStamp - first.at < secondKeyMs ? first.key : undefined;
  first = undefined;
  const binding =
    (prefix === undefined ? undefined : bound.find(({ keys }) => keys === `${prefix} ${event.key}`)) ??
    bound.find(({ keys }) => keys === event.key);
  if (binding?.run !== undefined) {
    event.preventDefault();
    binding.run();
  } else if (bound.some(({ keys }) => keys.startsWith(`${event.key} `))) {
    first = { key: event.key, at: event.timeStamp };
  }
});

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLElement && target.isContentEditable) ||
    (target instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(target.type))
  );
}
