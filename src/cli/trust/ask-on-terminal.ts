import { createInterface } from 'node:readline/promises';

/** Asks a question on the terminal (stderr, so that stdout stays clean); everything but `y` and `yes` is a no, Ctrl-C and an end of input, too. */
export async function askOnTerminal(text: string): Promise<boolean> {
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
