#!/usr/bin/env node
import { Console } from 'node:console';
import { CadreError } from '../core/error.ts';
import { stopOnClosedOutput } from './terminal/interruption.ts';
import { createProgram } from './program.ts';
import { reportFailure } from './terminal/report-failure.ts';

const tell = (text: string): void => void process.stderr.write(text);

// A closed pipe (`| head`) ends a command that only prints; work under way is stopped as by Ctrl-C, so that no step is cut short.
// EIO means the terminal is gone; the SIGHUP handler decides what follows.
process.stdout.on('error', (error: Error & { readonly code?: string }) => {
  if (error.code === 'EIO' || stopOnClosedOutput()) return;
  if (error.code === 'EPIPE') process.exit(0);
  process.exit(reportFailure(new CadreError('STORE_FAILED', `the output cannot be written: ${error.message}`), tell, false));
});
// Progress on stderr may go unread without stopping the work.
process.stderr.on('error', () => undefined);

// stdout carries only the command's result; what code of a team prints goes to stderr.
globalThis.console = new Console(process.stderr, process.stderr);

try {
  const [, , name, dashes, ...words] = process.argv;
  // The words may be options of another command, so they are not parsed.
  if (name === 'complete' && dashes === '--') await (await import('./commands/complete.ts')).completeCommand(words);
  else {
    const program = createProgram((code) => {
      process.exitCode = code;
    });
    await program.parseAsync(process.argv);
  }
} catch (error) {
  process.exitCode = reportFailure(error, tell, process.env['CADRE_DEBUG'] === '1');
}
