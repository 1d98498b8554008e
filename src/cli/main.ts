#!/usr/bin/env node
import { Console } from 'node:console';
import { createProgram } from './program.ts';
import { reportFailure } from './terminal/report-failure.ts';

// A reader that has seen enough (`| head`) ends the program quietly. A terminal that is gone (EIO) reads no more; SIGHUP says what follows.
process.stdout.on('error', (error: Error & { readonly code?: string }) => {
  if (error.code === 'EPIPE') process.exit(0);
  if (error.code !== 'EIO') throw error;
});

// stdout is for what a command answers, whatever code of a team prints.
globalThis.console = new Console(process.stderr, process.stderr);

try {
  const program = createProgram((code) => {
    process.exitCode = code;
  });
  await program.parseAsync(process.argv);
} catch (error) {
  process.exitCode = reportFailure(error, (text) => void process.stderr.write(text), process.env['CADRE_DEBUG'] === '1');
}
