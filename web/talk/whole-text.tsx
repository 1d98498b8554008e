import { useMemo, useState } from 'preact/hooks';
import { grouped } from '../../src/inspect/format/text/terminal-text.ts';
import { startOf, toVisibleText } from '../kit/visible-text.ts';
import { useReadGate } from './read-gate.ts';

/** A text that a person must be able to read to its end. */
export interface WholeTextProps {
  readonly value: string;
  /** Shows the number of each line. */
  readonly isCode?: boolean;
}

/** Most lines with numbers. */
const mostNumbered = 2_000;

/** Characters and lines that are laid out at first, and added whenever the end of them was on screen: a page has a largest height. */
const partChars = 2_000_000;
const partLines = 250_000;

/**
 * A text in full, in the flow of the page, without an inner scroller. What a browser could not lay out at once follows when the end
 * of the part before was on screen: no part can be skipped.
 */
export function WholeText({ value, isCode = false }: WholeTextProps) {
  const [parts, setParts] = useState(1);
  const length = useMemo(() => lengthOf(value, parts), [value, parts]);
  const left = value.length - length;
  const shown = left === 0 ? value : value.slice(0, length);
  return (
    <div class={`text whole-text ${isCode ? 'code' : ''}`} dir="ltr">
      {isCode && left === 0 && hasFewLines(value) ? <NumberedLines text={value} /> : <Pieces text={shown} />}
      {left > 0 && <MoreFollows key={parts} left={left} onSeen={() => setParts(parts + 1)} />}
    </div>
  );
}

/** Marks that more of a text follows, which is shown once this mark was on screen. */
function MoreFollows({ left, onSeen }: { readonly left: number; readonly onSeen: () => void }) {
  const gate = useReadGate('more', onSeen);
  return (
    <div ref={gate.text} class="faint" data-more>
      … {grouped(left)} more characters follow
    </div>
  );
}

function NumberedLines({ text }: { readonly text: string }) {
  return (
    <>
      {text.split('\n').map((line, index) => (
        <span key={index} class="code-line">
          {toVisibleText(line)}
          {'\n'}
        </span>
      ))}
    </>
  );
}

/** Blocks that the browser can skip while they are out of view, except the last one, whose end must be seen. */
function Pieces({ text }: { readonly text: string }) {
  const pieces = useMemo(() => cut(text), [text]);
  return (
    <>
      {pieces.map((piece, index) => (
        <span class="text-piece" key={index} style={`contain-intrinsic-block-size: auto ${heightOf(piece)}em`}>
          {toVisibleText(piece)}
        </span>
      ))}
    </>
  );
}

/** True for a text of several lines, of which each may have an element. */
function hasFewLines(text: string): boolean {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0 && lines <= mostNumbered; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines > 1 && lines <= mostNumbered && text.length <= 200_000;
}

/** Returns the length of the first parts of a text. */
function lengthOf(text: string, parts: number): number {
  const most = startOf(text, parts * partChars).length;
  let lines = parts * partLines;
  for (let at = text.indexOf('\n'); at >= 0 && at < most; at = text.indexOf('\n', at + 1)) {
    lines -= 1;
    if (lines === 0) return at + 1;
  }
  return most;
}

/** Cuts a text into pieces, at line breaks where there are some. */
function cut(text: string): readonly string[] {
  const size = 10_000;
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const piece = startOf(text.slice(at, at + size + 1), size);
    const lastBreak = at + piece.length < text.length ? piece.lastIndexOf('\n') : -1;
    const kept = lastBreak > 0 ? piece.slice(0, lastBreak + 1) : piece;
    pieces.push(kept);
    at += kept.length;
  }
  return pieces.length === 0 ? [''] : pieces;
}

/** Estimates the height of a piece in em, for one that is not laid out yet. */
function heightOf(piece: string): number {
  let lines = Math.ceil(piece.length / 100);
  for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', at + 1)) lines += 1;
  return Math.ceil(lines * 1.5);
}
