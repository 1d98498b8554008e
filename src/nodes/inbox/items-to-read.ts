import { priorityOf, readingOrder, type WaitingItem } from '../../core/inbox/inbox.ts';
import type { CallId } from '../../core/ids.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import { answeredCall } from './answer-open-calls.ts';

/** Most items one turn reads, unless its calls have more results; the rest wait for the next, in order. */
const maxItemsPerTurn = 256;

/** So many places of a full turn go to the items that have waited longest: none waits for ever behind a flood of urgent ones. */
const placesForTheOldest = 16;

/** Returns the items to read now, in order: first call results, which directly follow their calls whatever their priority (I1). */
export function itemsToRead(
  agent: Pick<SubContext, 'inbox' | 'turn'>,
  profile: Pick<CompiledProfile, 'strategies'>,
  open: ReadonlySet<CallId>,
): readonly WaitingItem[] {
  const waiting = agent.inbox.items;
  if (waiting.length > maxItemsPerTurn) {
    const first = firstOfMany(waiting, profile, open);
    if (first !== undefined) return first;
  }
  const urgent = waiting.some(({ item }) => item.delivery === 'idle')
    ? waiting.filter(({ item }) => item.delivery !== 'idle')
    : waiting;
  // A looping agent is busy. A persistent item that was read before does not hold back items that wait for an idle agent.
  const chosen = agent.turn.loop || urgent.some(({ turnsSeen }) => turnsSeen === 0) ? urgent : waiting;
  const weighted = profile.strategies.size === 0 ? chosen : chosen.map((entry) => withPriority(entry, profile));
  const ordered = readingOrder(weighted);
  if (open.size === 0 || ordered.length < 2) return oneTurn(ordered);
  const isResult = ({ item }: WaitingItem): boolean => open.has(answeredCall(item) ?? ('' as CallId));
  // However many results there are, all of them are read: no provider takes a history in which one is missing.
  const results = ordered.filter(isResult);
  const others = ordered.filter((entry) => !isResult(entry));
  return [...results, ...oneTurn(others, placesBeside(results))];
}

function placesBeside(results: readonly WaitingItem[]): number {
  return Math.max(placesForTheOldest, maxItemsPerTurn - results.length);
}

/** Returns as many items as one turn reads: the first ones, then the oldest unread of the rest; in reading order. */
function oneTurn(ordered: readonly WaitingItem[], places = maxItemsPerTurn): readonly WaitingItem[] {
  if (ordered.length <= places) return ordered;
  const first = ordered.slice(0, places - placesForTheOldest);
  const rest = ordered.slice(first.length);
  const oldest = new Set(rest.toSorted((a, b) => a.turnsSeen - b.turnsSeen || a.seq - b.seq).slice(0, placesForTheOldest));
  return [...first, ...rest.filter((entry) => oldest.has(entry))];
}

/** A profile's strategy may give its source another priority. */
function withPriority(entry: WaitingItem, profile: Pick<CompiledProfile, 'strategies'>): WaitingItem {
  const priority = entry.item.priority ?? profile.strategies.get(entry.item.source)?.priority;
  return priority === undefined || priority === entry.item.priority ? entry : { ...entry, item: { ...entry.item, priority } };
}

/**
 * Returns the same for a long inbox, in one pass and without sorting it: lanes by priority keep what one turn can read of each, and the
 * oldest are kept beside them. Undefined when it has to be looked at as a whole: some items wait for an idle agent, or it is out of order.
 */
function firstOfMany(
  waiting: readonly WaitingItem[],
  profile: Pick<CompiledProfile, 'strategies'>,
  open: ReadonlySet<CallId>,
): readonly WaitingItem[] | undefined {
  const lanes = new Lanes(profile);
  const oldest: WaitingItem[] = [];
  const results: WaitingItem[] = [];
  let seq = 0;
  for (const entry of waiting) {
    if (entry.item.delivery === 'idle' || entry.seq <= seq) return undefined;
    seq = entry.seq;
    if (open.size > 0 && open.has(answeredCall(entry.item) ?? ('' as CallId))) results.push(entry);
    else {
      lanes.add(entry);
      keepIfOlder(oldest, entry);
    }
  }
  const places = open.size === 0 ? maxItemsPerTurn : placesBeside(results);
  const others = waiting.length - results.length;
  const first = lanes.first(others <= places ? others : places - placesForTheOldest);
  const taken = new Set(first);
  const late = others <= places ? [] : oldest.filter((entry) => !taken.has(entry)).slice(0, placesForTheOldest);
  const inOrder = (entries: readonly WaitingItem[]): readonly WaitingItem[] =>
    readingOrder(entries.map((entry) => withPriority(entry, profile)));
  return [...inOrder(results), ...inOrder(first), ...inOrder(late)];
}

/** Keeps the entries that the fewest turns have seen, then the oldest. Entries come in order of arrival. */
function keepIfOlder(oldest: WaitingItem[], entry: WaitingItem): void {
  const { turnsSeen } = entry;
  const last = oldest[maxItemsPerTurn - 1];
  if (last !== undefined && turnsSeen >= last.turnsSeen) return;
  let place = oldest.length;
  while (place > 0 && (oldest[place - 1]?.turnsSeen ?? 0) > turnsSeen) place -= 1;
  oldest.splice(place, 0, entry);
  if (oldest.length > maxItemsPerTurn) oldest.pop();
}

/** The first entries of each priority, as many as one turn reads. Entries come in order of arrival. */
class Lanes {
  readonly #profile: Pick<CompiledProfile, 'strategies'>;
  readonly #lanes = new Map<number, WaitingItem[]>();
  #last: { readonly source: string; readonly priority: number | undefined; readonly lane: WaitingItem[] } | undefined;

  constructor(profile: Pick<CompiledProfile, 'strategies'>) {
    this.#profile = profile;
  }

  add(entry: WaitingItem): void {
    const { source, priority } = entry.item;
    // A flood mostly comes from one source.
    if (this.#last?.source !== source || this.#last.priority !== priority)
      this.#last = { source, priority, lane: this.#laneOf(priorityOf(withPriority(entry, this.#profile).item)) };
    const { lane } = this.#last;
    if (lane.length < maxItemsPerTurn) lane.push(entry);
  }

  #laneOf(priority: number): WaitingItem[] {
    let lane = this.#lanes.get(priority);
    if (lane === undefined) {
      lane = [];
      this.#lanes.set(priority, lane);
    }
    return lane;
  }

  /** Returns the first `count` entries in reading order; at most as many as one turn reads. */
  first(count: number): readonly WaitingItem[] {
    const first: WaitingItem[] = [];
    for (const [, lane] of [...this.#lanes].toSorted(([a], [b]) => a - b)) {
      if (first.length >= count) break;
      first.push(...lane.slice(0, count - first.length));
    }
    return first;
  }
}
