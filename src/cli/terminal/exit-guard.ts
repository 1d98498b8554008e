/** While it is there, code that ends the process, such as that of a check, cannot make the command look as if it had succeeded. */
export class ExitGuard implements Disposable {
  readonly #onExit = (code: number): void => {
    if (code !== 0) return;
    process.stderr.write('error: the process was ended before the command was done; does the code of a check call process.exit?\n');
    process.exitCode = 1;
  };

  constructor() {
    process.on('exit', this.#onExit);
  }

  [Symbol.dispose](): void {
    process.removeListener('exit', this.#onExit);
  }
}
