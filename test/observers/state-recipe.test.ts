import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyPatches } from '../../src/core/patches/apply-patches.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { Recipe, StateDraft } from '../../src/core/patches/state-draft.ts';
import type { PatchedState } from '../../src/core/patches/state-patch.ts';
import type { Changes } from '../../src/core/patches/patch.ts';
import { toWire } from '../../src/core/tool/to-wire.ts';
import { emptyModule, type WorkModule } from '../../src/core/team/work-module.ts';
import { runRecipe } from '../../src/observers/state-recipe.ts';

const owner = { owner: "observer 'test'", actor: 'planner', created: 2, at: 500 } as const;

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}

function stateOf({
  flags = {},
  values = {},
  shared = {},
}: { flags?: JsonObject; values?: JsonObject; shared?: JsonObject } = {}): PatchedState {
  const module = (id: string): WorkModule => ({ ...emptyModule(id, 100), name: `Module ${id}`, description: 'Do it.' });
  const work_modules = { WM_1: module('WM_1'), WM_2: module('WM_2') };
  freeze([flags, values, shared, ...Object.values(work_modules)]);
  return { flags, values, deliverables: {}, team: { shared, work_modules } };
}

/** The state after patches, as the fold makes it. */
function applied({ team, ...own }: PatchedState, patches: Changes['patches']): PatchedState {
  const state = { ...own, team: { ...team, work_modules: { ...team.work_modules } } };
  applyPatches(state, JSON.parse(JSON.stringify(patches)) as Changes['patches'], [state, state.team, state.team.work_modules]);
  return state;
}

const run = (state: PatchedState, recipe: Recipe): Changes => runRecipe(state, recipe, owner);
const after = (state: PatchedState, recipe: Recipe): PatchedState => applied(state, run(state, recipe).patches);
/** A draft without types, as code in JavaScript sees it. */
type Loose = ReturnType<typeof JSON.parse>;
const loose = (recipe: (draft: Loose) => unknown): Recipe => recipe as Recipe;

describe('recipes', () => {
  it('what is written to a draft becomes patches with what undoes them', () => {
    const state = stateOf({ flags: { n: 1, list: [{ a: 1 }, { a: 2 }, { a: 3 }] } });
    expect(
      run(
        state,
        loose((draft) => {
          draft.flags.n++;
          draft.flags.list[1].a = 'two';
          draft.flags.list.push({ a: 4 });
          draft.values.fresh = { deep: [1] };
          delete draft.flags.list[0].a;
          draft.team.shared.total = 5;
        }),
      ),
    ).toEqual({
      patches: [
        { op: 'replace', path: ['flags', 'n'], value: 2 },
        { op: 'remove', path: ['flags', 'list', 0, 'a'] },
        { op: 'replace', path: ['flags', 'list', 1, 'a'], value: 'two' },
        { op: 'add', path: ['flags', 'list', 3], value: { a: 4 } },
        { op: 'add', path: ['values', 'fresh'], value: { deep: [1] } },
        { op: 'add', path: ['team', 'shared', 'total'], value: 5 },
      ],
      inverse: [
        { op: 'remove', path: ['team', 'shared', 'total'] },
        { op: 'remove', path: ['values', 'fresh'] },
        { op: 'remove', path: ['flags', 'list', 3] },
        { op: 'replace', path: ['flags', 'list', 1, 'a'], value: 2 },
        { op: 'add', path: ['flags', 'list', 0, 'a'], value: 1 },
        { op: 'replace', path: ['flags', 'n'], value: 1 },
      ],
    });
  });

  it('a list that loses its first entry costs one patch, and one that changes everywhere is replaced as a whole', () => {
    const state = stateOf({ values: { rows: Array.from({ length: 1_000 }, (_, id) => ({ id })) } });
    const shifted = run(
      state,
      loose((draft) => draft.values.rows.shift()),
    );
    expect(shifted.patches).toEqual([{ op: 'remove', path: ['values', 'rows', 0] }]);
    expect(shifted.inverse).toEqual([{ op: 'add', path: ['values', 'rows', 0], value: { id: 0 } }]);
    const all = run(
      state,
      loose((draft) => draft.values.rows.forEach((row: { done?: boolean }) => (row.done = true))),
    );
    expect(all.patches).toMatchObject([{ op: 'replace', path: ['values', 'rows'] }]);
  });

  it('nothing changed is no patch: equal values, a change taken back, reading', () => {
    const state = stateOf({ flags: { n: 1, o: { a: [1] }, at: 'NaN' } });
    for (const recipe of [
      loose((draft) => void (draft.flags.n = 1)),
      loose((draft) => void (draft.flags.o = { a: [1] })),
      loose((draft) => void (draft.flags.at = Number.NaN)),
      loose((draft) => void (draft.flags.none = undefined)),
      loose((draft) => {
        draft.flags.o.a.push(2);
        draft.flags.o.a.pop();
      }),
      loose((draft) => JSON.stringify(draft)),
      loose((draft) => void (draft.team.work_modules.WM_1.status = 'pending')),
    ])
      expect(run(state, recipe)).toMatchObject({ patches: [], inverse: [] });
  });

  it('values are JSON by the rules of results: no functions, dates as texts, undefined as nothing', () => {
    const state = stateOf({ flags: { gone: 1 } });
    const changed = after(
      state,
      loose((draft) => {
        draft.flags.gone = undefined;
        draft.values.at = new Date(0);
        draft.values.fn = () => 1;
        draft.values.map = new Map([['a', 1n]]);
        draft.values.list = [undefined, -0, { x: undefined }];
      }),
    );
    expect(changed.flags).toEqual({});
    expect(changed.values).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      fn: { unserialisable: 'function' },
      map: { a: '1' },
      list: [null, 0, {}],
    });
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    expect(() =>
      run(
        state,
        loose((draft) => void (draft.flags.x = circular)),
      ),
    ).toThrow();
  });

  it('parts of a draft may be moved, copied and put into new values', () => {
    const state = stateOf({ flags: { a: { n: 1 }, list: [{ id: 1 }, { id: 2 }] } });
    const changed = after(
      state,
      loose((draft) => {
        const box = { inner: draft.flags.a };
        draft.values.box = box;
        draft.values.same = draft.flags.a;
        draft.flags.a.n = 2;
        draft.flags.list = draft.flags.list.filter(({ id }: { id: number }) => id > 1);
        draft.flags.list[0].id = 20;
        draft.flags.list.unshift({ id: 0 }, draft.flags.a);
        draft.team.work_modules.WM_1.deliverables.copy = draft.flags.a;
        draft.team.shared.module = draft.team.work_modules.WM_1;
        draft.flags.list[0].late = draft.team.work_modules.WM_2.name;
      }),
    );
    expect(changed.flags).toEqual({ a: { n: 2 }, list: [{ id: 0, late: 'Module WM_2' }, { n: 2 }, { id: 20 }] });
    expect(changed.values).toEqual({ box: { inner: { n: 2 } }, same: { n: 2 } });
    expect(changed.team.work_modules['WM_1']?.deliverables).toEqual({ copy: { n: 2 } });
    expect(changed.team.shared).toMatchObject({ module: { module_id: 'WM_1', deliverables: { copy: { n: 2 } } } });
  });

  it('a key that is a name every object has is data: it is never part of a path', () => {
    const state = stateOf();
    const first = after(
      state,
      loose((draft) => void (draft.values.car = { make: 'x', constructor: 'y' })),
    );
    expect(first.values).toEqual({ car: { make: 'x', constructor: 'y' } });
    const change = (car: object) =>
      run(
        first,
        loose((draft) => void (draft.values.car = car)),
      ).patches;
    expect(change({ make: 'z', constructor: 'y' })).toEqual([{ op: 'replace', path: ['values', 'car', 'make'], value: 'z' }]);
    expect(change({ make: 'x', constructor: 'z' })).toEqual([
      { op: 'replace', path: ['values', 'car'], value: { make: 'x', constructor: 'z' } },
    ]);
  });

  it.each<[string, (draft: Loose) => unknown]>([
    ['__proto__', (draft) => (draft.flags.__proto__.polluted = 1)],
    ['__proto__ of a list', (draft) => (draft.flags.list.__proto__.polluted = 1)],
    ['a key from outside', (draft) => (draft.flags['__proto__']['polluted'] = 1)],
    ['constructor.prototype', (draft) => (draft.flags.constructor.prototype.polluted = 1)],
    ['constructor.prototype of a list', (draft) => (draft.flags.list.constructor.prototype.polluted = 1)],
    ['an inherited method', (draft) => (draft.flags.toString.polluted = 1)],
    ['an inherited method of a list', (draft) => (draft.flags.list.push.polluted = 1)],
    ['the modules', (draft) => (draft.team.work_modules.__proto__.polluted = 1)],
    ['the constructor of modules', (draft) => (draft.team.work_modules.constructor.prototype.polluted = 1)],
    ['setting __proto__', (draft) => (draft.flags.__proto__ = { polluted: 1 })],
    ['setting constructor', (draft) => (draft.flags.constructor = { polluted: 1 })],
    ['setting toString', (draft) => (draft.flags.toString = 1)],
    ['a module __proto__', (draft) => (draft.team.work_modules.__proto__ = {})],
    ['setPrototypeOf', (draft) => Object.setPrototypeOf(draft.flags, { polluted: 1 })],
    ['defineProperty', (draft) => Object.defineProperty(draft.flags, 'x', { get: () => 1 })],
    ['a symbol', (draft) => (draft.flags[Symbol('x')] = 1)],
    ['a name in a list', (draft) => (draft.flags.list.name = 1)],
  ])('a path through a prototype is refused: %s', (_what, recipe) => {
    const state = stateOf({ flags: { list: [1], n: 1 } });
    expect(() =>
      run(state, (draft) => {
        draft.flags['n'] = 2;
        recipe(draft);
      }),
    ).toThrow();
    for (const polluted of [{}, [], Object.prototype.toString, [].push])
      expect((polluted as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('what is inherited can be used all the same', () => {
    const state = stateOf({ flags: { list: [3, 1, 2] } });
    const changed = after(
      state,
      loose((draft) => {
        if (draft.flags.hasOwnProperty('list') && draft.team.work_modules.hasOwnProperty('WM_1'))
          draft.values.text = `${draft.flags}`;
        draft.flags.list.sort();
        draft.flags.sum = draft.flags.list.reduce((sum: number, n: number) => sum + n, 0);
        draft.values.keys = [...Object.keys(draft.flags), ...Object.keys(draft.team.work_modules)];
        draft.values.has = ['list' in draft.flags, 'WM_1' in draft.team.work_modules, Array.isArray(draft.flags.list)];
        draft.values.spread = { ...draft.flags };
        draft.values.found = draft.flags.list.includes(3) && draft.flags.list === draft.flags.list;
      }),
    );
    expect(changed.flags).toEqual({ list: [1, 2, 3], sum: 6 });
    expect(changed.values).toEqual({
      text: '[object Object]',
      keys: ['list', 'sum', 'WM_1', 'WM_2'],
      has: [true, true, true],
      spread: { list: [1, 2, 3], sum: 6 },
      found: true,
    });
  });

  it.each<[string, (draft: Loose) => unknown, RegExp]>([
    ['another root', (draft) => (draft.inbox = []), /inbox/],
    ['the team', (draft) => (draft.team = {}), /team/],
    ['all modules', (draft) => (draft.team.work_modules = {}), /work_modules/],
    ['flags that are a list', (draft) => (draft.flags = []), /flags must stay an object/],
    ['no flags', (draft) => void (draft.flags = undefined), /flags must stay an object/],
    ['shared values that are a text', (draft) => (draft.team.shared = 'x'), /team\.shared must stay an object/],
    ['a promise', async (draft) => (draft.flags.x = 1), /promise/],
    ['a rejected promise', () => Promise.reject(new Error('later')), /promise/],
    ['a state of its own', (draft) => ({ ...draft, flags: { x: 1 } }), /write to the draft/],
    ['an error', () => JSON.parse('{'), /JSON/],
    ['a removed module', (draft) => delete draft.team.work_modules.WM_1, /cannot be removed/],
    ['a module under another id', (draft) => (draft.team.work_modules.WM_1.module_id = 'x'), /WM_1/],
    ['a status that does not exist', (draft) => (draft.team.work_modules.WM_1.status = 'done'), /status/],
    ['a move that nobody may make', (draft) => (draft.team.work_modules.WM_1.status = 'ongoing'), /cannot be ongoing now/],
    ['a dependency that does not exist', (draft) => draft.team.work_modules.WM_1.depends_on.push('WM_7'), /WM_7/],
    ['a module that depends on itself', (draft) => draft.team.work_modules.WM_1.depends_on.push('WM_1'), /cycle/],
    ['a new module with an id of its own', (draft) => (draft.team.work_modules.mine = {}), /WM_3/],
    ['a new module that has begun', (draft) => (draft.team.work_modules.WM_3 = { status: 'ongoing' }), /WM_3/],
    ['a module that is none', (draft) => (draft.team.work_modules.WM_1 = 1), /WM_1/],
  ])('refused, with nothing changed: %s', (_what, recipe, message) => {
    const state = stateOf({ flags: { n: 1 } });
    const before = structuredClone(state);
    expect(() =>
      run(state, (draft) => {
        if (_what !== 'a state of its own') draft.flags['n'] = 2;
        return recipe(draft);
      }),
    ).toThrow(message);
    expect(state).toEqual(before);
  });

  it('modules are added with the next ids, changed, and say when', () => {
    const state = stateOf();
    const changed = after(
      state,
      loose((draft) => {
        draft.team.work_modules.WM_3 = { name: 'Third', description: 'x', depends_on: ['WM_4'] };
        draft.team.work_modules.WM_4 = { name: 'Fourth' };
        draft.team.work_modules.WM_1.status = 'completed';
        draft.team.work_modules.WM_1.depends_on.push('WM_3');
      }),
    );
    const { WM_1, WM_2, WM_3, WM_4 } = changed.team.work_modules;
    expect(WM_1).toMatchObject({ status: 'completed', depends_on: ['WM_3'], created_at: 100, updated_at: 500 });
    expect(WM_2).toBe(state.team.work_modules['WM_2']);
    expect(WM_3).toEqual({ ...emptyModule('WM_3', 500), name: 'Third', description: 'x', depends_on: ['WM_4'] });
    expect(WM_4).toMatchObject({ name: 'Fourth', status: 'pending' });
  });

  it('a draft that escapes cannot be used: read, written, assigned elsewhere, or in a later recipe', async () => {
    const state = stateOf({ flags: { o: { n: 1 }, list: [1] } });
    const kept: { draft?: StateDraft; o?: { n: number }; list?: number[]; module?: { name: string } } = {};
    run(
      state,
      loose((draft) => {
        Object.assign(kept, { draft, o: draft.flags.o, list: draft.flags.list, module: draft.team.work_modules.WM_1 });
        draft.flags.o.n = 2;
        setTimeout(() => {}, 0);
      }),
    );
    const late: readonly (() => unknown)[] = [
      () => kept.draft?.flags['x'],
      () => (kept.o ?? { n: 0 }).n++,
      () => kept.list?.push(1),
      () => kept.module?.name,
      () => Object.keys(kept.draft?.team.work_modules ?? {}),
      () =>
        run(
          state,
          loose((draft) => void (draft.values.x = kept.o)),
        ),
      () =>
        run(
          state,
          loose((draft) => void (draft.values.x = { deep: [kept.list] })),
        ),
    ];
    for (const use of late) expect(use).toThrow(/after its recipe returned/);
    expect(state.flags).toEqual({ o: { n: 1 }, list: [1] });
    const failed = { draft: undefined as StateDraft | undefined };
    expect(() =>
      run(state, (draft) => {
        failed.draft = draft;
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(() => failed.draft?.flags).toThrow(/after its recipe returned/);
  });

  it('looks at a few of many modules at the cost of a few', () => {
    const state = stateOf();
    const many = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, n) => [`WM_${n + 1}`, Object.freeze(emptyModule(`WM_${n + 1}`, 1))]),
    );
    let looked = 0;
    const watched = new Proxy(many, {
      get: (target, key: string) => {
        looked += 1;
        return target[key];
      },
      ownKeys: () => {
        throw new Error('all modules were listed');
      },
    });
    const changes = runRecipe(
      { ...state, team: { shared: {}, work_modules: watched } },
      (draft) => {
        const module = draft.team.work_modules['WM_4000'];
        if (module !== undefined) module.notes_from_principal = 'Look here.';
      },
      owner,
    );
    expect(changes.patches).toHaveLength(2);
    expect(looked).toBeLessThan(20);
  });
});

const key = fc.constantFrom('a', 'b', 'c');
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 0, 1, 2, 'text'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;
/** One step of a recipe: numbers choose where and what. */
const step = fc.record({
  where: fc.nat(),
  from: fc.option(fc.nat(), { nil: undefined }),
  wrap: fc.boolean(),
  what: fc.nat(8),
  key,
  index: fc.nat(5),
  value: json,
});

/** All objects and lists of a value, itself first. */
function containers(value: unknown, found: object[] = []): object[] {
  if (typeof value === 'object' && value !== null) {
    found.push(value);
    for (const inner of Object.values(value)) containers(inner, found);
  }
  return found;
}

function take(
  slices: object,
  { where, from, wrap, what, key: name, index, value }: typeof step extends fc.Arbitrary<infer T> ? T : never,
): void {
  const all = containers(slices).slice(1);
  const target = all[where % Math.max(1, all.length)];
  if (target === undefined) return;
  const moved = from === undefined ? structuredClone(value) : all[from % all.length];
  // No circles: nothing is put into itself.
  const given = containers(moved).includes(target) ? 7 : wrap ? { a: moved, b: [moved] } : moved;
  if (Array.isArray(target)) {
    const list: unknown[] = target;
    if (what === 0) list.push(given);
    else if (what === 1) list.splice(index, 1, given);
    else if (what === 2) list.splice(index, 2);
    else if (what === 3) list.shift();
    else if (what === 4) list.reverse();
    else if (what === 5) list.unshift(given);
    else if (what === 6) list.length = Math.min(list.length, index);
    else if (list.length > 0) list[index % list.length] = given;
  } else if (what < 6) (target as Record<string, unknown>)[name] = given;
  else delete (target as Record<string, unknown>)[name];
}

describe('recipes of any kind', () => {
  it('patches give what the recipe left, their inverse gives back the state before, and the state itself is untouched', () => {
    const object = fc.dictionary(key, json, { noNullPrototype: true });
    fc.assert(
      fc.property(object, object, object, fc.array(step, { maxLength: 6 }), (flags, values, shared, steps) => {
        const state = stateOf({ flags: flags as JsonObject, values: values as JsonObject, shared: shared as JsonObject });
        const before = structuredClone(state);
        let left: unknown;
        const changes = run(state, (draft) => {
          const slices = { flags: draft.flags, values: draft.values, shared: draft.team.shared };
          for (const one of steps) take(slices, one);
          left = toWire(slices);
        });
        expect(state).toEqual(before);
        const now = applied(state, changes.patches);
        expect({ flags: now.flags, values: now.values, shared: now.team.shared }).toEqual(left);
        expect(applied(now, changes.inverse)).toEqual(before);
        expect(changes.inverse.map(({ path }) => path)).toEqual(changes.patches.map(({ path }) => path).toReversed());
      }),
      { numRuns: 1_000 },
    );
  });
});
