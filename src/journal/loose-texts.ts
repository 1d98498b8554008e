import { addressesIn } from './codec/text-refs.ts';

/** Most texts asked for at once. */
const mostAtOnce = 200;

/** A stored text under its hash. */
export interface FoundText {
  readonly hash: string;
  readonly text: string;
}

/** A store, as the search for loose texts reads it: in pages, so that it neither holds a lock nor blocks the event loop. */
export interface TextPlaces {
  /** Returns those of these texts that are stored, damaged or not. */
  read(hashes: readonly string[]): Promise<readonly FoundText[]>;
  /** Hashes that commits refer to; a hash may come many times. */
  commitRefs(): AsyncIterable<Iterable<string>>;
  /** All stored texts. */
  texts(): AsyncIterable<Iterable<FoundText>>;
}

/**
 * Returns which of these texts, and of the texts that they list, are loose: no commit refers to them, and no stored text that is not loose
 * itself lists them (as the log of a system prompt lists the texts of its segments). Commits that are written during the search are the
 * caller's concern.
 */
export async function findLoose(places: TextPlaces, candidates: Iterable<string>): Promise<ReadonlySet<string>> {
  const loose = new Set<string>();
  const addListed = { takes: (hash: string) => !loose.has(hash), visit: (hash: string) => loose.add(hash) };
  const keepListed = { takes: (hash: string) => loose.has(hash), visit: (hash: string) => loose.delete(hash) };
  await follow(places, candidates, addListed);
  for await (const page of places.commitRefs()) {
    for (const hash of page) loose.delete(hash);
    if (loose.size === 0) return loose;
  }
  for await (const page of places.texts()) {
    const listed: string[] = [];
    for (const { hash, text } of page) if (!loose.has(hash)) listed.push(...addressesIn(text));
    await follow(places, listed, keepListed);
    if (loose.size === 0) return loose;
  }
  return loose;
}

/** Which hashes a search follows, and what it does with those that are stored. */
interface Visitor {
  takes(hash: string): boolean;
  visit(hash: string): void;
}

/** Visits the stored texts of these hashes, and those that they list, directly or not. */
async function follow(places: TextPlaces, hashes: Iterable<string>, { takes, visit }: Visitor): Promise<void> {
  let next = new Set<string>();
  for (const hash of hashes) if (takes(hash)) next.add(hash);
  while (next.size > 0) {
    const asked = [...next];
    next = new Set();
    for (let at = 0; at < asked.length; at += mostAtOnce)
      for (const { hash, text } of await places.read(asked.slice(at, at + mostAtOnce))) {
        visit(hash);
        for (const address of addressesIn(text)) if (takes(address)) next.add(address);
      }
  }
}
