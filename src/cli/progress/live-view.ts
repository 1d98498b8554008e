import { textWidth } from '../../inspect/format/text/text-width.ts';
import { wrapLines } from '../../inspect/format/text/wrap-line.ts';

/** Where a live view draws. */
export interface LiveScreen {
  tell(text: string): void;
  /** Its columns as they are now: a window that was made narrower has broken the lines of the frame that stands there. */
  readonly columns: number;
}

/** How often a view is drawn again at most, in milliseconds. */
const interval = 120;

const hideCursor = '\x1b[?25l';
const showCursor = '\x1b[?25h';

/** Draws frames in place, one over the other, on a terminal. */
export class LiveView {
  readonly #screen: LiveScreen;
  readonly #frame: () => readonly string[];
  #timer: ReturnType<typeof setInterval> | undefined;
  #shown: readonly string[] = [];
  readonly #restore = (): void => this.#screen.tell(showCursor);

  constructor(screen: LiveScreen, frame: () => readonly string[]) {
    this.#screen = screen;
    this.#frame = frame;
  }

  /** Begins to draw. */
  start(): void {
    if (this.#timer !== undefined) return;
    // Whatever ends the process, the cursor comes back.
    process.once('exit', this.#restore);
    this.#screen.tell(hideCursor);
    this.#draw();
    this.#timer = setInterval(() => this.#draw(), interval);
  }

  /** Puts lines above what is drawn, where they stay. */
  say(text: string): void {
    if (this.#timer === undefined) this.#screen.tell(text);
    else {
      this.#screen.tell(`${this.#back()}\r\x1b[J${wrapLines(text, this.#screen.columns)}`);
      this.#shown = [];
      this.#draw();
    }
  }

  /** Draws a last time, leaves that frame standing, and gives the cursor back. */
  stop(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#draw();
    this.#shown = [];
    this.#screen.tell(showCursor);
    process.removeListener('exit', this.#restore);
  }

  #draw(): void {
    const lines = this.#frame();
    // One write per frame, each line erased to its end and the rest of the screen below: nothing flickers.
    this.#screen.tell(`${this.#back()}\r${lines.map((line) => `${line}\x1b[K\n`).join('')}\x1b[J`);
    this.#shown = lines;
  }

  /** Leads to the first row of what is drawn, which has more rows than lines when the window is narrower than it was. */
  #back(): string {
    const columns = Math.max(1, this.#screen.columns);
    const rows = this.#shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / columns)), 0);
    return rows === 0 ? '' : `\x1b[${rows}A`;
  }
}
