import { styleText } from 'node:util';
import { plainStyle, type TextStyle } from '../../inspect/format/text/text-style.ts';

type Format = 'bold' | 'dim' | 'italic' | 'underline' | 'red' | 'green' | 'yellow' | 'cyan';

const paint =
  (format: Format) =>
  (text: string): string =>
    styleText(format, text, { validateStream: false });

/** Styles by ANSI codes; whoever uses them has made sure that they go to a terminal. */
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

/** What decides whether a stream gets colours. */
export interface ColorTarget {
  readonly isTTY?: boolean | undefined;
  /** Knows `NO_COLOR`, `FORCE_COLOR` and `TERM`. */
  hasColors?(): boolean;
}

/** The styles for a stream: none when it is no terminal, cannot show them, or nobody wants them. */
export function styleFor(stream: ColorTarget, color: boolean): TextStyle {
  return color && stream.isTTY === true && stream.hasColors?.() === true ? ansiStyle : plainStyle;
}
