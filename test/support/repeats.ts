/** Repetitions of a sweep: a fifth of them in `npm test`, all in `npm run test:sweeps`. */
export function repeats(all: number): number {
  return process.env['SWEEPS'] === 'all' ? all : Math.ceil(all / 5);
}
