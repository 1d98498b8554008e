// Not state of a run: what code of teams is doing in this process.
const active = new Set<{ readonly what: string }>();
// Not state of a run: the process is watched once.
let isWatching = false;

/**
 * Says on stderr what was under way when code of a team ends the process, and that this was no success. Code that calls `process.exit` would
 * otherwise look like a run that went well. Ends when it is disposed of.
 */
export function watchEnd(what: string): Disposable {
  if (!isWatching) {
    isWatching = true;
    process.on('exit', (code) => {
      if (active.size === 0 || code !== 0) return;
      process.stderr.write(
        `The process ended while ${[...active].map(({ what }) => what).join(', ')}: code of a team must not call process.exit; throw an error instead.\n`,
      );
      process.exitCode = 1;
    });
  }
  const entry = { what };
  active.add(entry);
  return { [Symbol.dispose]: () => void active.delete(entry) };
}
