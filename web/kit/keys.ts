import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** What a key does. `keys` is one key, or two after each other with a space between: `j`, `Escape`, `g t`. */
export interface KeyBinding {
  readonly keys: string;
  readonly does: string;
  /** Absent where what has the focus takes the key: then it is only told. */
  readonly run?: () => void;
}

/** How long the second of two keys may take, in milliseconds. */
const secondKeyMs = 1_200;

/** What is bound now, by who bound it; who came last goes first. */
const layers = signal<readonly { readonly current: readonly KeyBinding[] }[]>([]);

/** The dialog with the keys is open. */
export const keysAreShown = signal(false);

let first: { readonly key: string; readonly at: number } | undefined;

/** Binds keys for as long as the component is there. Keys are not taken while somebody types, nor behind a dialog. */
export function useKeys(bindings: readonly KeyBinding[]): void {
  const layer = useRef(bindings);
  layer.current = bindings;
  // What is on the screen takes its keys at once: an effect comes after the paint, and a key in between would go to what lies behind.
  useLayoutEffect(() => {
    layers.value = [...layers.peek(), layer];
    return () => {
      layers.value = layers.peek().filter((other) => other !== layer);
    };
  }, []);
}

/** Everything that is bound now, each key once. */
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
    // Out of a field first; what the key does elsewhere comes with the next press.
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
