import { textWidth } from '../../inspect/format/text/text-width.ts';
import { wrapLines } from '../../inspect/format/text/wrap-line.ts';

/** Terminal that a live view draws on. */
export interface LiveScreen {
  tell(text: string): void;
  /** Current columns; a window made narrower has wrapped the lines of the frame on screen. */
  readonly columns: number;
}

/** Milliseconds between two frames. */
const interval = 120;

const hideCursor = '\x1b[?25l';
const showCursor = '\x1b[?25h';

/** Redraws frames in place on a terminal. */
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

  /** Starts drawing. */
  start(): void {
    if (this.#timer !== undefined) return;
    // Restores the cursor however the process ends.
    process.once('exit', this.#restore);
    this.#screen.tell(hideCursor);
    this.#draw();
    this.#timer = setInterval(() => this.#draw(), interval);
  }

  /** Prints lines above the frame, where they remain. */
  say(text: string): void {
    if (this.#timer === undefined) this.#screen.tell(text);
    else {
      this.#screen.tell(`${this.#back()}\r\x1b[J${wrapLines(text, this.#screen.columns)}`);
      this.#shown = [];
      this.#draw();
    }
  }

  /** Draws a last frame, leaves it on screen, and restores the cursor. */
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
    // One write per frame that erases each line to its end and the screen below avoids flicker.
    this.#screen.tell(`${this.#back()}\r${lines.map((line) => `${line}\x1b[K\n`).join('')}\x1b[J`);
    this.#shown = lines;
  }

  /** Returns the escape sequence to the first row of the frame, which has more rows than lines after the window became narrower. */
  #back(): string {
    const columns = Math.max(1, this.#screen.columns);
    const rows = this.#shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / columns)), 0);
    return rows === 0 ? '' : `\x1b[${rows}A`;
  }
}
