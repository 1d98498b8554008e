import type { Inline } from '../../markdown/markdown-inline.ts';
import { toTerminalText } from './terminal-text.ts';
import { plainStyle, type TextStyle } from './text-style.ts';

const whole = { maxLine: Infinity, maxLines: Infinity };

/** Makes every character visible that could steer a terminal; removes nothing. */
export function visibleText(text: string): string {
  return toTerminalText(text, whole);
}

/** Renders pieces of untrusted Markdown as one safe text. No style crosses a line end. */
export function inlineText(words: readonly Inline[], style: TextStyle): string {
  return words.map((piece) => pieceText(piece, style)).join('');
}

function pieceText(piece: Inline, style: TextStyle): string {
  const isPlain = style === plainStyle;
  switch (piece.kind) {
    case 'text':
      return visibleText(piece.text);
    case 'code':
      return isPlain ? `\`${visibleText(piece.text)}\`` : byLine(visibleText(piece.text), style.cyan);
    case 'target':
      return byLine(` (${visibleText(piece.text)})`, style.dim);
    case 'strong':
      return isPlain ? `**${inlineText(piece.words, style)}**` : byLine(inlineText(piece.words, style), style.bold);
    case 'emphasis':
      return isPlain ? `*${inlineText(piece.words, style)}*` : byLine(inlineText(piece.words, style), style.italic);
  }
}

function byLine(text: string, paint: (line: string) => string): string {
  return text.includes('\n') ? text.split('\n').map(paint).join('\n') : paint(text);
}
