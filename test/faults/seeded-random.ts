/** Numbers from a seed, the same ones each time: what a failing case prints is enough to see it again. */
export interface SeededRandom {
  /** A whole number from 0 up to, and without, `below`. */
  below(below: number): number;
}

/** Makes a source of numbers from a seed (mulberry32). */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { below: (below) => Math.floor(next() * below) };
}
