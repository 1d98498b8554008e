/**
 * Longest list that is searched linearly; longer ones get an index. Most commits are small, but a grouped one may hold a thousand
 * agents.
 */
const searchedUpTo = 8;

/** Records in the order they were noted, found by position or id. When several share an id, the first is found. */
export class NotedList<T> {
  readonly #list: T[] = [];
  readonly #ids: unknown[] = [];
  #index: Map<unknown, T> | undefined;

  /** Number of noted records. */
  get size(): number {
    return this.#list.length;
  }

  add(id: unknown, record: T): void {
    this.#list.push(record);
    this.#ids.push(id);
    if (this.#index !== undefined && !this.#index.has(id)) this.#index.set(id, record);
  }

  at(index: number): T | undefined {
    return this.#list[index];
  }

  get(id: unknown): T | undefined {
    if (this.#list.length <= searchedUpTo) return this.#list[this.#ids.indexOf(id)];
    this.#index ??= this.#buildIndex();
    return this.#index.get(id);
  }

  #buildIndex(): Map<unknown, T> {
    const index = new Map<unknown, T>();
    for (const [place, record] of this.#list.entries()) if (!index.has(this.#ids[place])) index.set(this.#ids[place], record);
    return index;
  }
}
