import { describe, expect, it } from 'vitest';
import { readOnlyView } from '../../src/core/read-only-view.ts';

interface Data {
  list: { n: number }[];
  map: Map<string, { n: number }>;
  frozen: Readonly<{ n: number }>;
  nothing: null;
}

const data = (): Data => ({
  list: [{ n: 1 }, { n: 2 }],
  map: new Map([['a', { n: 1 }]]),
  frozen: Object.freeze({ n: 3 }),
  nothing: null,
});

describe('a read-only view (X6)', () => {
  it('shows what is there, and what it becomes', () => {
    const live = data();
    const view = readOnlyView(live);
    expect(view).toEqual(live);
    expect(JSON.stringify(view)).toBe(JSON.stringify(live));
    expect(Array.isArray(view.list)).toBe(true);
    expect(view.list.map(({ n }) => n)).toEqual([1, 2]);
    expect([...view.map.values()]).toEqual([{ n: 1 }]);
    expect([...view.map]).toEqual([['a', { n: 1 }]]);
    expect(view.map.get('a')?.n).toBe(1);
    expect(view.map.size).toBe(1);
    live.list.push({ n: 3 });
    expect(view.list).toHaveLength(3);
  });

  it('is the same for the same data, and the data itself when that is frozen or plain', () => {
    const live = data();
    expect(readOnlyView(live)).toBe(readOnlyView(live));
    expect(readOnlyView(live).list).toBe(readOnlyView(live).list);
    expect(readOnlyView(live).frozen).toBe(live.frozen);
    expect([readOnlyView(5), readOnlyView(null), readOnlyView(undefined)]).toEqual([5, null, undefined]);
  });

  it.each<[string, (view: Data) => unknown]>([
    ['a field', (view) => (view.list = [])],
    ['a new field', (view) => Object.assign(view, { more: 1 })],
    ['a field that goes', (view) => Reflect.deleteProperty(view, 'list')],
    ['a push', (view) => view.list.push({ n: 9 })],
    ['a sort', (view) => view.list.sort((a, b) => b.n - a.n)],
    ['a length', (view) => (view.list.length = 0)],
    ['an item', (view) => (view.list[0] = { n: 9 })],
    ['a field of an item', (view) => Object.assign(view.list[0] ?? {}, { n: 9 })],
    ['an item found by a method', (view) => Object.assign(view.list.find(({ n }) => n === 2) ?? {}, { n: 9 })],
    ['an item of an iteration', (view) => [...view.list].forEach((item) => (item.n = 9))],
    ['a value of a map', (view) => Object.assign(view.map.get('a') ?? {}, { n: 9 })],
    ['a value of an iteration of a map', (view) => view.map.forEach((value) => (value.n = 9))],
    ['an entry of a map', (view) => view.map.set('a', { n: 9 })],
    ['an entry that goes', (view) => view.map.delete('a')],
    ['all entries', (view) => view.map.clear()],
    ['a definition', (view) => Object.defineProperty(view, 'list', { value: [] })],
    ['what a descriptor holds', (view) => Object.getOwnPropertyDescriptor(view, 'list')?.value.push({ n: 9 })],
    ['what entries hold', (view) => Object.values(view.list).forEach((item) => (item.n = 9))],
    ['the prototype', (view) => Object.setPrototypeOf(view, null)],
    ['its being open', (view) => Object.freeze(view)],
    ['what is frozen', (view) => Object.assign(view.frozen, { n: 9 })],
  ])('a write to %s throws and changes nothing', (_what, write) => {
    const live = data();
    expect(() => write(readOnlyView(live))).toThrow(TypeError);
    expect(live).toEqual(data());
    expect(Object.isFrozen(live)).toBe(false);
  });
});
