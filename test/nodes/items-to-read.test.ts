import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type InboxItem, priorityOf, type WaitingItem } from '../../src/core/inbox/inbox.ts';
import type { CallId } from '../../src/core/ids.ts';
import type { CompiledProfile } from '../../src/core/profile/profile.ts';
import { itemsToRead } from '../../src/nodes/inbox/items-to-read.ts';
import type { SubContext } from '../../src/core/state/sub-context.ts';

type Strategies = Pick<CompiledProfile, 'strategies'>;

const ownStrategies = { strategies: new Map([['NEWS', { priority: 5 }]]) } as unknown as Strategies;
const noStrategies = { strategies: new Map() } as unknown as Strategies;
const answers = new Set(['c1', 'c2'] as CallId[]);

/** A stretch of an inbox: so many items alike. */
const stretch = fc.record({
  source: fc.constantFrom('USER_PROMPT', 'NEWS', 'TOOL_RESULT'),
  priority: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
  delivery: fc.constantFrom('next', 'next', 'next', 'now', 'idle'),
  turnsSeen: fc.nat(2),
  count: fc.integer({ min: 1, max: 150 }),
});

function inboxOf(stretches: readonly { readonly count: number; readonly [field: string]: unknown }[]): WaitingItem[] {
  return stretches
    .flatMap(({ count, turnsSeen, priority, ...fields }) =>
      Array.from({ length: count }, () => ({ turnsSeen, fields: priority === undefined ? fields : { ...fields, priority } })),
    )
    .map(({ turnsSeen, fields }, index) => {
      const payload = { tool_call_id: `c${index % 40}` };
      const item = { ...fields, payload, itemId: `i${index}`, consumption: 'persistent_until_consumed' } as unknown as InboxItem;
      return { item, seq: index + 1, turnsSeen: Number(turnsSeen), failures: 0 };
    });
}

/** The rule in words of its own: results, then the rest by priority and arrival; a full turn keeps 16 places for the oldest. */
function byTheRule(items: readonly WaitingItem[], { strategies }: Strategies, open: ReadonlySet<CallId>, isLooping: boolean) {
  const urgent = items.filter(({ item }) => item.delivery !== 'idle');
  const chosen = isLooping || urgent.some(({ turnsSeen }) => turnsSeen === 0) ? urgent : items;
  const weight = ({ item }: WaitingItem): number => item.priority ?? strategies.get(item.source)?.priority ?? priorityOf(item);
  const ordered = chosen.toSorted((a, b) => weight(a) - weight(b) || a.seq - b.seq);
  const isResult = ({ item }: WaitingItem): boolean =>
    item.source === 'TOOL_RESULT' && open.has((item.payload as { readonly tool_call_id: CallId }).tool_call_id);
  const results = ordered.filter(isResult);
  const others = ordered.filter((entry) => !isResult(entry));
  const places = open.size === 0 ? 256 : Math.max(16, 256 - results.length);
  if (others.length <= places) return [...results, ...others];
  const first = others.slice(0, places - 16);
  const oldest = others
    .slice(places - 16)
    .toSorted((a, b) => a.turnsSeen - b.turnsSeen || a.seq - b.seq)
    .slice(0, 16);
  return [...results, ...first, ...oldest.toSorted((a, b) => weight(a) - weight(b) || a.seq - b.seq)];
}

const seqsOf = (entries: readonly WaitingItem[]): readonly number[] => entries.map(({ seq }) => seq);

it('I3: a long inbox is read in the same order as a short one: results, priority, arrival, and places for the oldest', () => {
  let longOnes = 0;
  fc.assert(
    fc.property(
      fc.array(stretch, { minLength: 1, maxLength: 12 }),
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      (stretches, hasOwn, hasOpen, isLooping, neverIdle) => {
        const items = inboxOf(neverIdle ? stretches.map((each) => ({ ...each, delivery: 'next' })) : stretches);
        if (items.length > 256 && neverIdle) longOnes += 1;
        const profile = hasOwn ? ownStrategies : noStrategies;
        const open = hasOpen ? answers : new Set<CallId>();
        const agent = { inbox: { items }, turn: { loop: isLooping } } as unknown as SubContext;
        expect(seqsOf(itemsToRead(agent, profile, open))).toEqual(seqsOf(byTheRule(items, profile, open, isLooping)));
      },
    ),
    { numRuns: 300 },
  );
  expect(longOnes).toBeGreaterThan(20);
});

it('an inbox that is not in order of arrival is put in order first', () => {
  const items = inboxOf([{ source: 'NEWS', delivery: 'next', turnsSeen: 0, count: 300 }]).toReversed();
  const agent = { inbox: { items }, turn: { loop: false } } as unknown as SubContext;
  expect(seqsOf(itemsToRead(agent, noStrategies, new Set()))).toEqual(Array.from({ length: 256 }, (_, index) => index + 1));
});
