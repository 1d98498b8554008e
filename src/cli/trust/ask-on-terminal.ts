import { createInterface } from 'node:readline/promises';

/** Asks a question on stderr; true for `y` or `yes`, false for anything else, including Ctrl-C and end of input. */
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
