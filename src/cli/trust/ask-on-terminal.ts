import { createInterface } from 'node:readline/promises';
import { dropTypedAhead } from '../terminal/typed-ahead.ts';

/**
 * Asks a question on stderr; true for `y` or `yes`, false for anything else, including Ctrl-C and end of input. Keys that were
 * pressed before the question was shown do not count.
 */
export async function askOnTerminal(text: string): Promise<boolean> {
  await dropTypedAhead();
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => prompt.once('close', () => resolve('')));
  prompt.once('SIGINT', () => prompt.close());
  try {
    const answer = await Promise.race([prompt.question(text), closed]);
    return /^(?:y|yes)$/i.test(answer.trim());
  } finally {
    prompt.close();
  }
}
