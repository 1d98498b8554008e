import { type TextStyle, plainStyle } from '../../inspect/format/text/text-style.ts';
import { styleText } from 'node:util';

/** Output of a command and its capabilities. Results go to stdout, progress and messages to stderr. */
export interface Terminal {
  /** Writes to stdout, unchanged. */
  print(text: string): void;
  /** Writes to stderr, unchanged. */
  tell(text: string): void;
  readonly outStyle: TextStyle;
  readonly errorStyle: TextStyle;
  /** True when stderr is a terminal on which lines can be redrawn. */
  readonly isLive: boolean;
  /** True when a person can be asked: stdin and stderr are terminals. */
  readonly isInteractive: boolean;
  /** True when stdout is a terminal, where Markdown is rendered; pipes and files receive the text as written. */
  readonly isOutTerminal: boolean;
  /** Columns at which lines on stdout wrap: of its terminal, else `COLUMNS`; undefined for a pipe, where lines stay whole. */
  readonly outWidth: number | undefined;
  /** Columns at which lines on stderr wrap; undefined when stderr is not a terminal. */
  readonly errorWidth: number | undefined;
  /** Size of the terminal of stderr, in characters. */
  readonly columns: number;
  readonly rows: number;
}

/** Returns the terminal of this process. */
export function openTerminal(options: { readonly color?: boolean | undefined } = {}): Terminal {
  const { stdin, stdout, stderr } = process;
  const color = options.color ?? true;
  const isDumb = process.env['TERM'] === 'dumb';
  return {
    print: (text) => void stdout.write(text),
    tell: (text) => void stderr.write(text),
    outStyle: styleFor(stdout, color),
    errorStyle: styleFor(stderr, color),
    isLive: stderr.isTTY && !isDumb,
    isInteractive: stdin.isTTY && stderr.isTTY,
    isOutTerminal: stdout.isTTY,
    get outWidth() {
      return widthOf(stdout) ?? namedColumns();
    },
    get errorWidth() {
      return stderr.isTTY ? (widthOf(stderr) ?? namedColumns()) : undefined;
    },
    get columns() {
      return widthOf(stderr) ?? 80;
    },
    get rows() {
      return stderr.rows || 24;
    },
  };
}

/** Returns the current columns of a terminal; undefined for other streams, and for a terminal that reports 0 (unknown). */
function widthOf({ isTTY, columns }: { readonly isTTY: boolean; readonly columns: number }): number | undefined {
  return isTTY && columns > 0 ? columns : undefined;
}

/** Returns the columns set in `COLUMNS`. */
function namedColumns(): number | undefined {
  const columns = Number(process.env['COLUMNS'] ?? '');
  return Number.isInteger(columns) && columns > 0 ? columns : undefined;
}

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
interface ColorTarget {
  readonly isTTY?: boolean | undefined;
  /** Respects `NO_COLOR`, `FORCE_COLOR` and `TERM`. */
  hasColors?(): boolean;
}

/** Returns the styles for a stream; plain when it is not a terminal, has no colours, or `color` is false. */
function styleFor(stream: ColorTarget, color: boolean): TextStyle {
  return color && stream.isTTY === true && stream.hasColors?.() === true ? ansiStyle : plainStyle;
}
