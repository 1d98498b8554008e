import { commandPrefix } from './command-prefix.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { storeArguments } from './store-path.ts';

/** Renders a command of this program as the reader can type it in the working folder. */
export function thisCommand(words: readonly string[], store?: string): string {
  const prefix = commandPrefix({ env: process.env, script: process.argv[1], cwd: process.cwd() });
  return [prefix, ...[...words, ...storeArguments(store)].map(shellWord)].join(' ');
}
