#!/usr/bin/env node
import { Console } from 'node:console';
import { CadreError } from '../core/error.ts';
import { stopUnread } from './terminal/interruption.ts';
import { createProgram } from './program.ts';
import { reportFailure } from './terminal/report-failure.ts';

const tell = (text: string): void => void process.stderr.write(text);

// A reader that has seen enough (`| head`) ends a command that only prints; work is stopped as by Ctrl-C, so that nothing is left in its
// middle. A terminal that is gone (EIO) reads no more; SIGHUP says what follows.
process.stdout.on('error', (error: Error & { readonly code?: string }) => {
  if (error.code === 'EIO' || stopUnread()) return;
  if (error.code === 'EPIPE') process.exit(0);
  process.exit(reportFailure(new CadreError('STORE_FAILED', `the output cannot be written: ${error.message}`), tell, false));
});
// What is told about the way there may go unread: it stops no work.
process.stderr.on('error', () => undefined);

// stdout is for what a command answers, whatever code of a team prints.
globalThis.console = new Console(process.stderr, process.stderr);

try {
  const program = createProgram((code) => {
    process.exitCode = code;
  });
  await program.parseAsync(process.argv);
} catch (error) {
  process.exitCode = reportFailure(error, tell, process.env['CADRE_DEBUG'] === '1');
}
