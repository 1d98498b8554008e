import { CommanderError } from 'commander';
import { CadreError, describeThrown } from '../../core/error.ts';
import { toTerminalText } from '../../inspect/format/text/terminal-text.ts';
import { exitCodeOf, type ExitCode } from '../exit-code.ts';

/**
 * Writes an error message, with the stack when `debug` is true (`CADRE_DEBUG=1`); returns the exit code. Usage errors were already
 * printed by the argument parser.
 */
export function reportFailure(thrown: unknown, tell: (text: string) => void, debug: boolean): ExitCode {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : 2;
  const message = thrown instanceof CadreError ? thrown.message : describeThrown(thrown);
  tell(`error: ${toTerminalText(message, { maxLine: 2_000, maxLines: 600 })}\n`);
  if (debug && thrown instanceof Error) tell(`${toTerminalText(stackOf(thrown), { maxLine: 2_000 })}\n`);
  return exitCodeOf(thrown);
}

function stackOf(error: Error): string {
  const own = error.stack ?? error.message;
  return error.cause instanceof Error ? `${own}\ncaused by ${stackOf(error.cause)}` : own;
}
