const ahead = 16;

/** Processes items of a walk several at a time; yields the outcomes in the order of the walk. */
export async function* readAhead<Item, Outcome>(
  items: AsyncIterable<Item>,
  work: (item: Item) => Promise<Outcome>,
): AsyncGenerator<readonly [Item, Outcome]> {
  let batch: Item[] = [];
  const finish = async (): Promise<readonly (readonly [Item, Outcome])[]> => {
    const due = batch;
    batch = [];
    return await Promise.all(due.map(async (item) => [item, await work(item)] as const));
  };
  for await (const item of items) {
    batch.push(item);
    if (batch.length >= ahead) yield* await finish();
  }
  yield* await finish();
}
