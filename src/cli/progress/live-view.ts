/** Where a live view draws. */
export interface LiveScreen {
  tell(text: string): void;
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
  #height = 0;
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
      const back = this.#height === 0 ? '' : `\x1b[${this.#height}A`;
      this.#screen.tell(`${back}\r\x1b[J${text}`);
      this.#height = 0;
      this.#draw();
    }
  }

  /** Draws a last time, leaves that frame standing, and gives the cursor back. */
  stop(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#draw();
    this.#height = 0;
    this.#screen.tell(showCursor);
    process.removeListener('exit', this.#restore);
  }

  #draw(): void {
    const lines = this.#frame();
    const back = this.#height === 0 ? '' : `\x1b[${this.#height}A`;
    // One write per frame, each line erased to its end and the rest of the screen below: nothing flickers.
    this.#screen.tell(`${back}\r${lines.map((line) => `${line}\x1b[K\n`).join('')}\x1b[J`);
    this.#height = lines.length;
  }
}
