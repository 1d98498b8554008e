/** Repetitions of a sweep: a fifth of them in `npm test`, all in `npm run test:sweeps`. */
export function repeats(all: number): number {
  return process.env['SWEEPS'] === 'all' ? all : Math.ceil(all / 5);
}

/** Cases of a sweep: every third in CI, all in `npm run test:sweeps`. */
export function sampled<T>(cases: readonly T[]): readonly T[] {
  return cases.filter((_, at) => process.env['SWEEPS'] === 'all' || at % 3 === 0);
}
