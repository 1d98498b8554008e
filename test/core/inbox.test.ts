import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type InboxItem, type WaitingItem, priorityOf, readingOrder } from '../../src/core/inbox/inbox.ts';
import { globalStrategies, unknownSourcePriority } from '../../src/core/inbox/strategy.ts';

const waiting = fc
  .array(
    fc.record({
      source: fc.constantFrom('TOOL_RESULT', 'USER_PROMPT', 'NEWS', 'PARTNER_DIRECTIVE', '__proto__', 'constructor'),
      priority: fc.option(fc.integer({ min: -5, max: 200 }), { nil: undefined }),
    }),
    { maxLength: 20 },
  )
  .map((items) =>
    items.map(({ source, priority }, index): WaitingItem => ({
      item: {
        itemId: `i${index}`,
        source,
        payload: null,
        consumption: 'consume_on_read',
        delivery: 'next',
        ...(priority === undefined ? {} : { priority }),
      } as InboxItem,
      seq: index + 1,
      turnsSeen: 0,
      failures: 0,
    })),
  );

describe('I3: reading order', () => {
  it('priority, then arrival: complete, sorted, and the same whatever the order of the list', () => {
    fc.assert(
      fc.property(waiting, fc.infiniteStream(fc.nat()), (items, random) => {
        const ordered = readingOrder(items);
        expect(ordered).toHaveLength(items.length);
        for (let index = 1; index < ordered.length; index++) {
          const [before, after] = [ordered[index - 1], ordered[index]];
          if (before === undefined || after === undefined) continue;
          const [p, q] = [priorityOf(before.item), priorityOf(after.item)];
          expect(p < q || (p === q && before.seq < after.seq)).toBe(true);
        }
        const shuffled = items
          .map((item) => ({ item, key: random.next().value ?? 0 }))
          .sort((a, b) => a.key - b.key)
          .map(({ item }) => item);
        expect(readingOrder(shuffled)).toEqual(ordered);
      }),
    );
  });

  it('a source in no table, even one named like a property, has the priority of the unknown', () => {
    for (const source of ['NEWS', '__proto__', 'constructor', 'toString'])
      expect(priorityOf({ source } as InboxItem)).toBe(unknownSourcePriority);
    const priorities = [...globalStrategies.values()].flatMap(({ priority }) => priority ?? []);
    expect(Math.min(...priorities)).toBe(globalStrategies.get('TOOL_RESULT')?.priority);
  });
});
