import { toTerminalLine } from '../../inspect/format/text/terminal-text.ts';
import { completeWords } from '../completion/complete-words.ts';
import { thingsOfProject } from '../completion/named-things.ts';
import { createProgram } from '../program.ts';
import { openTerminal } from '../terminal/terminal.ts';

/** Longest description of a candidate. */
const longestDescription = 60;

/** Prints the words that may replace the last one, with a description each: for the scripts of `cadre completion`. */
export async function completeCommand(words: readonly string[]): Promise<void> {
  const candidates = await completeWords(
    createProgram(() => undefined),
    words,
    thingsOfProject(),
  );
  const lines = candidates.map(
    ({ word, description }) => `${toTerminalLine(word, 200)}\t${toTerminalLine(description, longestDescription)}\n`,
  );
  openTerminal().print(lines.join(''));
}
