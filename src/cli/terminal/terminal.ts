import type { TextStyle } from '../../inspect/format/text/text-style.ts';
import { styleFor } from './ansi-style.ts';

/** Where a command writes and what it may assume of it. Results go to stdout, everything about the way there to stderr. */
export interface Terminal {
  /** Writes to stdout, as it is. */
  print(text: string): void;
  /** Writes to stderr, as it is. */
  tell(text: string): void;
  readonly outStyle: TextStyle;
  readonly errorStyle: TextStyle;
  /** stderr is a terminal on which lines can be redrawn. */
  readonly isLive: boolean;
  /** A person can be asked: stdin and stderr are terminals. */
  readonly isInteractive: boolean;
  /** stdout is a terminal: what agents say is laid out there, and goes as it is into pipes and files. */
  readonly isOutTerminal: boolean;
  /** Columns that lines on stdout are fitted to: those of its terminal, else `COLUMNS`; undefined for a pipe, whose lines stay whole. */
  readonly outWidth: number | undefined;
  /** The same of stderr, where only a terminal counts. */
  readonly errorWidth: number | undefined;
  /** The size of the terminal behind stderr, in characters. */
  readonly columns: number;
  readonly rows: number;
}

/** The terminal of this process. */
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

/** The columns of a terminal as it is now; undefined for what is none, and for one that says 0 because it does not know. */
function widthOf({ isTTY, columns }: { readonly isTTY: boolean; readonly columns: number }): number | undefined {
  return isTTY && columns > 0 ? columns : undefined;
}

/** The columns that the environment names. */
function namedColumns(): number | undefined {
  const columns = Number(process.env['COLUMNS'] ?? '');
  return Number.isInteger(columns) && columns > 0 ? columns : undefined;
}
