import { createInterface, type Interface } from 'node:readline';

/** Reads typed or piped lines; buffers them until `next` is called. */
export class LineInput implements Disposable {
  readonly #interface: Interface;
  readonly #lines: string[] = [];
  #waiting: ((line: string | undefined) => void) | undefined;
  #isClosed = false;

  /** Calls `onInterrupt` for Ctrl-C, which readline receives as a key. */
  constructor(onInterrupt: () => void) {
    this.#interface = createInterface({
      input: process.stdin,
      output: process.stderr,
      terminal: process.stdin.isTTY && process.stderr.isTTY,
    });
    this.#interface.on('SIGINT', onInterrupt);
    this.#interface.on('line', (line) => {
      if (this.#waiting === undefined) this.#lines.push(line);
      else this.#hand(line);
    });
    this.#interface.on('close', () => {
      this.#isClosed = true;
      this.#hand(undefined);
    });
  }

  /** Returns the next line; undefined at the end of input. One caller at a time. */
  next(): Promise<string | undefined> {
    const line = this.#lines.shift();
    if (line !== undefined || this.#isClosed) return Promise.resolve(line);
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /** Shows the prompt. */
  prompt(text: string): void {
    if (this.#isClosed) return;
    this.#interface.setPrompt(text);
    this.#interface.prompt(true);
  }

  [Symbol.dispose](): void {
    this.#interface.close();
  }

  #hand(line: string | undefined): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.(line);
  }
}
