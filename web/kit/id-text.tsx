import { toVisibleText } from './visible-text.ts';

/** An id of an agent or a turn. When space is short, its end stays visible, which distinguishes it. */
export function IdText({ id }: { readonly id: string }) {
  const at = id.lastIndexOf('_');
  return (
    <span class="id-text" title={toVisibleText(id)}>
      <span>{toVisibleText(at > 0 ? id.slice(0, at) : '')}</span>
      <span>{toVisibleText(at > 0 ? id.slice(at) : id)}</span>
    </span>
  );
}
