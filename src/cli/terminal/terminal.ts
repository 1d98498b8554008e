import type { TextStyle } from '../../inspect/format/text-style.ts';
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
    get columns() {
      return stderr.columns ?? 80;
    },
    get rows() {
      return stderr.rows ?? 24;
    },
  };
}
