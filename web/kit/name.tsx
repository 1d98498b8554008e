import { lineOf } from './line-of.ts';
import './name.css';

/** A name that loses its middle when space is short: its end distinguishes agents of one profile. */
export function Name({ text }: { readonly text: string }) {
  const line = lineOf(text, 80);
  const end = line.length < 20 ? line.length : line.length - 4;
  return (
    <span class="name">
      <span>{line.slice(0, end)}</span>
      <span>{line.slice(end)}</span>
    </span>
  );
}
