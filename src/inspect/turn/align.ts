/** One step of an alignment of two lists: in both, only in the first, only in the second. */
export type AlignStep<Item> =
  | { readonly kind: 'same'; readonly a: Item; readonly b: Item }
  | { readonly kind: 'removed'; readonly a: Item }
  | { readonly kind: 'added'; readonly b: Item };

/**
 * Aligns two lists by key. The n-th occurrence of a key in one list pairs with the n-th in the other; the longest subsequence of
 * pairs in the order of both lists counts as equal. Takes n log n time, so that prompts of thousands of spans align fast.
 */
export function align<Item>(a: readonly Item[], b: readonly Item[], key: (item: Item) => string): readonly AlignStep<Item>[] {
  const steps: AlignStep<Item>[] = [];
  let nextA = 0;
  let nextB = 0;
  const upTo = (endA: number, endB: number): void => {
    for (const item of a.slice(nextA, endA)) steps.push({ kind: 'removed', a: item });
    for (const item of b.slice(nextB, endB)) steps.push({ kind: 'added', b: item });
  };
  for (const [inA, inB] of longestIncreasing(pairs(a.map(key), b.map(key)))) {
    upTo(inA, inB);
    const itemA = a[inA];
    const itemB = b[inB];
    if (itemA !== undefined && itemB !== undefined) steps.push({ kind: 'same', a: itemA, b: itemB });
    nextA = inA + 1;
    nextB = inB + 1;
  }
  upTo(a.length, b.length);
  return steps;
}

type Pair = readonly [number, number];

/** Pairs of places with equal keys, in the order of the first list. */
function pairs(a: readonly string[], b: readonly string[]): readonly Pair[] {
  const places = new Map<string, number[]>();
  for (const [place, key] of b.entries()) {
    const list = places.get(key);
    if (list === undefined) places.set(key, [place]);
    else list.push(place);
  }
  const taken = new Map<string, number>();
  const found: Pair[] = [];
  for (const [place, key] of a.entries()) {
    const count = taken.get(key) ?? 0;
    const other = places.get(key)?.[count];
    if (other === undefined) continue;
    taken.set(key, count + 1);
    found.push([place, other]);
  }
  return found;
}

/** The longest sublist whose second places increase (patience sorting). */
function longestIncreasing(list: readonly Pair[]): readonly Pair[] {
  const tails: number[] = [];
  const before: number[] = [];
  for (const [index, pair] of list.entries()) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((list[tails[middle] ?? 0]?.[1] ?? 0) < pair[1]) low = middle + 1;
      else high = middle;
    }
    before.push(low === 0 ? -1 : (tails[low - 1] ?? -1));
    tails[low] = index;
  }
  const chosen: Pair[] = [];
  for (let index = tails.at(-1) ?? -1; index >= 0; index = before[index] ?? -1) {
    const pair = list[index];
    if (pair !== undefined) chosen.push(pair);
  }
  return chosen.toReversed();
}
