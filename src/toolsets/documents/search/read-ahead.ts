/** Begins up to `width` pieces of asynchronous work ahead of the one that is awaited, and yields the results in the order of the items. */
export async function* readAhead<Item, Result>(
  items: readonly Item[],
  width: number,
  read: (item: Item) => Promise<Result>,
): AsyncGenerator<readonly [Item, Result]> {
  const begun: Promise<Result>[] = [];
  const begin = (index: number): void => {
    const item = items[index];
    if (item === undefined) return;
    const result = read(item);
    // Reported where it is awaited; a caller that stops early awaits no more.
    result.catch(() => undefined);
    begun.push(result);
  };
  for (let index = 0; index < width; index += 1) begin(index);
  for (const [index, item] of items.entries()) {
    const next = begun.shift();
    if (next === undefined) return;
    const result = await next;
    begin(index + width);
    yield [item, result];
  }
}
