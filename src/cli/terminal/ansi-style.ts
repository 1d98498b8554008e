import { styleText } from 'node:util';
import { plainStyle, type TextStyle } from '../../inspect/format/text/text-style.ts';

type Format = 'bold' | 'dim' | 'italic' | 'underline' | 'red' | 'green' | 'yellow' | 'cyan';

const paint =
  (format: Format) =>
  (text: string): string =>
    styleText(format, text, { validateStream: false });

/** ANSI styles; use only for output to a terminal. */
const ansiStyle: TextStyle = {
  bold: paint('bold'),
  dim: paint('dim'),
  italic: paint('italic'),
  underline: paint('underline'),
  red: paint('red'),
  green: paint('green'),
  yellow: paint('yellow'),
  cyan: paint('cyan'),
};

/** Stream properties that decide about colours. */
export interface ColorTarget {
  readonly isTTY?: boolean | undefined;
  /** Respects `NO_COLOR`, `FORCE_COLOR` and `TERM`. */
  hasColors?(): boolean;
}

/** Returns the styles for a stream; plain when it is not a terminal, has no colours, or `color` is false. */
export function styleFor(stream: ColorTarget, color: boolean): TextStyle {
  return color && stream.isTTY === true && stream.hasColors?.() === true ? ansiStyle : plainStyle;
}
