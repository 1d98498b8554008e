/** Bounds of a share, 0 to 1. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Standard normal quantile of a two-sided level of 95 %. */
const z95 = 1.959_963_984_540_054;

/** Returns the 95 % confidence interval of a share (Wilson score). `trials` need not be whole. */
export function wilson(share: number, trials: number): Interval {
  if (trials <= 0) return { low: 0, high: 1 };
  const z2 = z95 ** 2 / trials;
  const middle = share + z2 / 2;
  const half = z95 * Math.sqrt((share * (1 - share)) / trials + z2 / (4 * trials));
  return { low: Math.max(0, (middle - half) / (1 + z2)), high: Math.min(1, (middle + half) / (1 + z2)) };
}

/**
 * Returns the number of independent trials that repeated runs of the same cases are worth: all of them when the repeats of a case differ as
 * much as those of different cases, the number of cases when they are all alike. `groups` has the results of each case, 1 or 0.
 */
export function effectiveTrials(groups: readonly (readonly number[])[]): number {
  const filled = groups.filter(({ length }) => length > 0);
  const trials = filled.reduce((sum, { length }) => sum + length, 0);
  if (trials === filled.length) return trials;
  const share = filled.flat().reduce((sum, each) => sum + each, 0) / trials;
  const simple = (share * (1 - share)) / trials;
  // Nothing differs at all: repeats may add nothing.
  if (simple === 0) return filled.length;
  const spread = filled.reduce((sum, group) => {
    const off = group.reduce((total, each) => total + each - share, 0);
    return sum + off ** 2;
  }, 0);
  const clustered = spread / trials ** 2;
  return Math.max(filled.length, Math.min(trials, trials * (simple / clustered)));
}

/** Successes among trials. */
export interface Tally {
  readonly passed: number;
  readonly runs: number;
}

/** Returns the probability that a share is this much lower, or lower still, by chance alone (Fisher's exact test, one-sided). */
export function fisherWorse(before: Tally, after: Tally): number {
  const runs = before.runs + after.runs;
  const passed = before.passed + after.passed;
  const least = Math.max(0, passed - before.runs);
  let sum = 0;
  for (let count = least; count <= after.passed; count += 1)
    sum += Math.exp(logChoose(after.runs, count) + logChoose(before.runs, passed - count) - logChoose(runs, passed));
  return Math.min(1, sum);
}

function logChoose(all: number, some: number): number {
  let sum = 0;
  for (let index = 1; index <= some; index += 1) sum += Math.log(all - some + index) - Math.log(index);
  return sum;
}

/** Cases up to which every assignment of signs is counted. */
const mostExact = 16;
const drawn = 50_000;

/**
 * Returns the probability that the mean difference of paired shares is this low, or lower, by chance alone (sign-flip permutation test,
 * one-sided): exact for up to 16 differing cases, else over 50,000 seeded draws.
 */
export function signFlipWorse(differences: readonly number[]): number {
  const moved = differences.filter((each) => each !== 0);
  const actual = moved.reduce((sum, each) => sum + each, 0) + 1e-12;
  if (moved.length === 0) return 1;
  const total = moved.length <= mostExact ? 2 ** moved.length : drawn;
  const bits = moved.length <= mostExact ? (draw: number) => (index: number) => (draw >> index) & 1 : seededBits();
  let low = 0;
  for (let draw = 0; draw < total; draw += 1) {
    const bit = bits(draw);
    const sum = moved.reduce((added, each, index) => added + (bit(index) === 1 ? each : -each), 0);
    if (sum <= actual) low += 1;
  }
  return low / total;
}

/** A fixed sequence, so that the same results always give the same answer (mulberry32). */
function seededBits(): (draw: number) => (index: number) => number {
  let state = 0x9e37_79b9;
  return () => () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) & 1;
  };
}

/** Returns which of several probabilities are below 5 % when all of them are looked at together (Holm). */
export function holm(probabilities: readonly number[]): readonly boolean[] {
  const order = probabilities.map((value, index) => ({ value, index })).toSorted((a, b) => a.value - b.value);
  const below: boolean[] = probabilities.map(() => false);
  for (const [rank, { value, index }] of order.entries()) {
    if (value > 0.05 / (order.length - rank)) break;
    below[index] = true;
  }
  return below;
}
