/** A command line for a POSIX shell that is exactly these arguments, whatever is in them. */
export function shellQuote(argv: readonly string[]): string {
  return argv.map((argument) => `'${argument.replaceAll("'", `'\\''`)}'`).join(' ');
}
