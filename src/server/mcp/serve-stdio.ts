import { Writable } from 'node:stream';
import type { Server } from '@modelcontextprotocol/server';
import { loadServerLibrary, loadStdioLibrary, type ServerLibrary } from './server-library.ts';

/**
 * Serves MCP on standard input and output until the input ends or the signal aborts. Everything else this process writes to
 * standard output meanwhile goes to standard error: one stray line would break the protocol.
 */
export async function serveOnStdio(make: (library: ServerLibrary) => () => Server, signal: AbortSignal): Promise<void> {
  const [library, { serveStdio, StdioServerTransport }] = await Promise.all([loadServerLibrary(), loadStdioLibrary()]);
  const { output, restore } = takeStdout();
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  process.stdin.once('end', resolve);
  process.stdin.once('close', resolve);
  signal.addEventListener('abort', () => resolve(), { once: true });
  const handle = serveStdio(make(library), { transport: new StdioServerTransport(process.stdin, output) });
  try {
    await ended;
  } finally {
    await handle.close();
    restore();
    process.stdin.destroy();
  }
}

/** Reserves standard output for the protocol. */
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
