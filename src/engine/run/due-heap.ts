/** An item and the time it comes due. */
interface Entry<Item> {
  readonly at: number;
  readonly item: Item;
}

/** Items ordered by due time, the earliest first: adding and taking cost O(log n). */
export class DueHeap<Item> {
  readonly #entries: Entry<Item>[] = [];

  /** Time at which the first item comes due; undefined when there is none. */
  get next(): number | undefined {
    return this.#entries[0]?.at;
  }

  add(at: number, item: Item): void {
    const entries = this.#entries;
    let index = entries.push({ at, item }) - 1;
    while (index > 0) {
      const above = (index - 1) >> 1;
      if (!this.#swapIfEarlier(index, above)) return;
      index = above;
    }
  }

  /** Takes every item that is due at `at`. */
  takeDue(at: number): Item[] {
    const due: Item[] = [];
    for (let first = this.#entries[0]; first !== undefined && first.at <= at; first = this.#entries[0]) {
      due.push(first.item);
      this.#dropFirst();
    }
    return due;
  }

  /** Drops first items while they are over. */
  dropFirstWhile(isOver: (item: Item) => boolean): void {
    for (let first = this.#entries[0]; first !== undefined && isOver(first.item); first = this.#entries[0]) this.#dropFirst();
  }

  clear(): void {
    this.#entries.length = 0;
  }

  #dropFirst(): void {
    const entries = this.#entries;
    const last = entries.pop();
    if (last === undefined || entries.length === 0) return;
    entries[0] = last;
    for (let index = 0; ;) {
      const left = index * 2 + 1;
      const right = left + 1;
      const smaller = this.#isEarlier(right, left) ? right : left;
      if (!this.#swapIfEarlier(smaller, index)) return;
      index = smaller;
    }
  }

  #isEarlier(index: number, than: number): boolean {
    const [one, other] = [this.#entries[index], this.#entries[than]];
    return one !== undefined && other !== undefined && one.at < other.at;
  }

  #swapIfEarlier(index: number, above: number): boolean {
    const [one, other] = [this.#entries[index], this.#entries[above]];
    if (one === undefined || other === undefined || one.at >= other.at) return false;
    this.#entries[index] = other;
    this.#entries[above] = one;
    return true;
  }
}
