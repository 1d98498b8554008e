import { Writable } from 'node:stream';
import { loadServerLibrary, loadStdioLibrary } from './server-library.ts';
import { teamServerFactory, type TeamServerOptions } from './team-server.ts';

/**
 * Serves teams on standard input and output, until the input ends or the signal aborts. Whatever else this process writes to
 * standard output meanwhile goes to standard error: one stray line would end the conversation.
 */
export async function serveOnStdio(options: TeamServerOptions): Promise<void> {
  const [library, { serveStdio, StdioServerTransport }] = await Promise.all([loadServerLibrary(), loadStdioLibrary()]);
  const { output, restore } = takeStdout();
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  process.stdin.once('end', resolve);
  process.stdin.once('close', resolve);
  options.signal.addEventListener('abort', () => resolve(), { once: true });
  const handle = serveStdio(teamServerFactory(library, options), { transport: new StdioServerTransport(process.stdin, output) });
  try {
    await ended;
  } finally {
    await handle.close();
    restore();
    process.stdin.destroy();
  }
}

/** Keeps standard output for the protocol alone. */
function takeStdout(): { readonly output: Writable; readonly restore: () => void } {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      write(chunk, (error) => done(error ?? null));
    },
  });
  return {
    output,
    restore: () => {
      stdout.write = write;
    },
  };
}
