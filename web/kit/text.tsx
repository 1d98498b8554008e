import { useState } from 'preact/hooks';
import { grouped } from '../../src/inspect/format/text/terminal-text.ts';
import { startOf, toVisibleText } from './visible-text.ts';
import './text.css';

/** Number of characters shown at first, and added per click on "more". */
const shownAtFirst = 20_000;
const shownMore = 200_000;

/** A text of a run, unformatted: no markup, hidden characters made visible; long texts come in pieces unless `whole` is set. */
export function Text(props: { readonly value: string; readonly label?: string; readonly whole?: boolean }) {
  const { value, label, whole = false } = props;
  const [length, setLength] = useState(whole ? Number.MAX_SAFE_INTEGER : shownAtFirst);
  const shown = startOf(value, length);
  const left = value.length - shown.length;
  return (
    <div class="text" dir="ltr" {...(label === undefined ? {} : { role: 'group', 'aria-label': label })}>
      {pieces(shown).map((piece, index) => (
        <span class="text-piece" key={index}>
          {toVisibleText(piece)}
        </span>
      ))}
      {left > 0 && (
        <button type="button" class="quiet" onClick={() => setLength(length + shownMore)}>
          show more ({grouped(left)} characters left)
        </button>
      )}
    </div>
  );
}

/** Splits a text into blocks that the browser can skip while they are out of view. */
function pieces(text: string): readonly string[] {
  const size = 10_000;
  const found: string[] = [];
  for (let at = 0; at < text.length;) {
    const piece = startOf(text.slice(at, at + size + 1), size);
    found.push(piece);
    at += piece.length;
  }
  return found.length === 0 ? [''] : found;
}
