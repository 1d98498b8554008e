import { createInterface } from 'node:readline/promises';
import type { Interruption } from './interruption.ts';

/**
 * Asks one question on stderr and returns the typed line; undefined when interrupted, or when the question is withdrawn.
 */
export async function promptLine(
  question: string,
  interruption: Interruption,
  withdrawn: AbortSignal,
): Promise<string | undefined> {
  const signal = AbortSignal.any([interruption.signal, withdrawn]);
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  // A prompt reads Ctrl-C as a key, so no signal arrives by itself.
  prompt.once('SIGINT', () => interruption.interrupt());
  const closed = new Promise<undefined>((resolve) => prompt.once('close', () => resolve(undefined)));
  try {
    const answer = await Promise.race([prompt.question(question, { signal }), closed]);
    // Closed input: asking again would loop forever.
    if (answer === undefined && !signal.aborted) interruption.interrupt();
    return answer;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    prompt.close();
  }
}
