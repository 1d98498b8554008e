/** Estimates the tokens of a text at four characters each: good for shares and meters, never for billing. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
