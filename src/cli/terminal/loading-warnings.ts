import type { Diagnostic } from '../../core/profile/profile.ts';
import { countText } from '../../inspect/format/text/quantity-text.ts';
import { toTerminalLine } from '../../inspect/format/text/terminal-text.ts';
import type { TextStyle } from '../../inspect/format/text/text-style.ts';
import { formatDiagnostic } from '../../profiles/format-diagnostics.ts';
import { openTerminal } from './terminal.ts';

/** Most warnings that are printed in full. */
const mostShown = 30;

/** Not state of a run: the lines that this process has printed, since one command may open the same profiles several times. */
const told = new Set<string>();

/** Formats a problem of profiles on one line: `warning file:line:col: message (hint) [CODE]`. */
export function diagnosticLine(diagnostic: Diagnostic, style: TextStyle): string {
  const severity = diagnostic.severity === 'error' ? style.red('error') : style.yellow('warning');
  return `${severity} ${toTerminalLine(formatDiagnostic(diagnostic), 2_000)} ${style.dim(`[${diagnostic.code}]`)}`;
}

/** Prints the warnings of loading on stderr, each once: every command that starts or continues runs calls it when its engine is open. */
export function tellWarnings(warnings: readonly Diagnostic[]): void {
  const terminal = openTerminal();
  const lines = warningLines(warnings, terminal.errorStyle).filter((line) => !told.has(line));
  for (const line of lines) told.add(line);
  if (lines.length > 0) terminal.tell(`${shown(lines).join('\n')}\n`);
}

/** Returns the text of the warnings that loading profiles again has brought; empty when there are none. */
export function newWarningsText(before: readonly Diagnostic[], now: readonly Diagnostic[], style: TextStyle): string {
  const known = new Set(warningLines(before, style));
  const lines = warningLines(now, style).filter((line) => !known.has(line));
  return lines.length === 0 ? '' : `${shown(lines).join('\n')}\n`;
}

function warningLines(warnings: readonly Diagnostic[], style: TextStyle): readonly string[] {
  return [...new Set(warnings.map((warning) => diagnosticLine(warning, style)))];
}

function shown(lines: readonly string[]): readonly string[] {
  const more = lines.length - mostShown;
  return more <= 0 ? lines : [...lines.slice(0, mostShown), `… and ${countText(more, 'warning')} more: cadre validate`];
}
