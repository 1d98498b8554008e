import { useState } from 'preact/hooks';

/** Button that copies a value as JSON and confirms it. `value` is called on the click. */
export function CopyButton({
  value,
  label = 'copy as JSON',
  of,
}: {
  readonly value: () => unknown;
  readonly label?: string;
  /** Name of the copied thing, for screen readers. */
  readonly of?: string;
}) {
  const [copied, setCopied] = useState<string | undefined>();
  const copy = async (): Promise<void> => {
    const text = JSON.stringify(value(), undefined, 2);
    setCopied(
      await navigator.clipboard.writeText(text).then(
        () => 'copied',
        () => 'the browser does not allow it',
      ),
    );
    setTimeout(() => setCopied(undefined), 1_500);
  };
  return (
    <button type="button" class="quiet" onClick={() => void copy()}>
      <span aria-live="polite">{copied ?? label}</span>
      {of !== undefined && <span class="seen-by-readers"> {of}</span>}
    </button>
  );
}
