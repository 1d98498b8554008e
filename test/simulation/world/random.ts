/** A stream of random choices that a seed decides. */
export interface Random {
  /** A number from 0 (inclusive) to 1 (exclusive). */
  float(): number;
  /** A whole number from 0 (inclusive) to `below` (exclusive). */
  int(below: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
}

/**
 * Creates a stream of choices. Streams of one seed with different names are independent, so that drawing more from one
 * changes nothing in another.
 */
export function createRandom(seed: number, stream: string): Random {
  let state = seed >>> 0;
  for (let index = 0; index < stream.length; index++) state = Math.imul(state ^ stream.charCodeAt(index), 0x9e37_79b1) >>> 0;
  const float = (): number => {
    // mulberry32
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (below: number): number => Math.floor(float() * below);
  return {
    float,
    int,
    chance: (probability) => float() < probability,
    pick: (from) => {
      const chosen = from[int(from.length)];
      if (chosen === undefined) throw new Error('there is nothing to pick from');
      return chosen;
    },
  };
}
