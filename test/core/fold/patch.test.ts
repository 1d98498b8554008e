import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CadreEvent } from '../../../src/core/events/event.ts';
import { applyEvent, foldEvents } from '../../../src/core/fold/apply-event.ts';
import type { AgentId } from '../../../src/core/ids.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { type StateOperation, updateState, StateEdit } from '../../../src/core/patches/update-state.ts';
import { patchedState } from '../../../src/core/patches/state-patch.ts';
import { type Patch } from '../../../src/core/patches/patch.ts';
import type { RunContext } from '../../../src/core/state/run-context.ts';
import { teamJournal } from '../../inspect/team-journal.ts';

const { events } = teamJournal();
const agentId = 'Partner_1' as AgentId;
const folded = (): RunContext => {
  const state = foldEvents(events);
  if (state === undefined) throw new Error('no run');
  return state;
};

function patch(state: RunContext, patches: unknown, more: object = { agentId }): RunContext {
  const place = { runId: state.meta.runId, seq: state.seq + 1, at: state.at, cause: 1 };
  applyEvent(state, { type: 'state.patch', ...place, patches, inverse: [], ...more } as CadreEvent);
  return state;
}

const slicesOf = (state: RunContext) => patchedState(state, state.agents.get(agentId));

describe('state.patch in the fold', () => {
  it('changes values in objects and lists, copies what changed, shares and freezes the rest', () => {
    const state = patch(folded(), [{ op: 'add', path: ['values', 'a'], value: { list: [1, 2, { x: 1 }], other: { y: 1 } } }]);
    const before = slicesOf(state).values as { a: { list: unknown[]; other: unknown } };
    patch(state, [
      { op: 'replace', path: ['values', 'a', 'list', 2, 'x'], value: { deep: [1] } },
      { op: 'add', path: ['values', 'a', 'list', 0], value: 0 },
      { op: 'remove', path: ['values', 'a', 'list', 1] },
    ]);
    const after = slicesOf(state).values as typeof before;
    expect(before).toEqual({ a: { list: [1, 2, { x: 1 }], other: { y: 1 } } });
    expect(after).toEqual({ a: { list: [0, 2, { x: { deep: [1] } }], other: { y: 1 } } });
    expect(after.a.other).toBe(before.a.other);
    const inner = after.a.list[2] as { x: { deep: number[] } };
    for (const part of [after, after.a, after.a.list, inner, inner.x, inner.x.deep, after.a.other])
      expect(Object.isFrozen(part)).toBe(true);
  });

  const wm = ['team', 'work_modules', 'WM_1'];
  it.each<[string, unknown, object?]>([
    ['no list', { op: 'add' }],
    ['no patch', [null]],
    ['another root', [{ op: 'replace', path: ['inbox'], value: [] }]],
    ['the root itself', [{ op: 'replace', path: [], value: {} }]],
    ['the team itself', [{ op: 'replace', path: ['team'], value: {} }]],
    ['all modules', [{ op: 'replace', path: ['team', 'work_modules'], value: {} }]],
    ['another part of the team', [{ op: 'add', path: ['team', 'x'], value: 1 }]],
    ['flags that are a list', [{ op: 'replace', path: ['flags'], value: [] }]],
    ['no flags', [{ op: 'remove', path: ['flags'] }]],
    ['an operation of nothing', [{ op: 'move', path: ['flags', 'n'], value: 1 }]],
    ['no path', [{ op: 'add', value: 1 }]],
    ['a text as path', [{ op: 'add', path: 'flags.n', value: 1 }]],
    ['an endless path', [{ op: 'add', path: ['flags', ...Array<string>(500).fill('a')], value: 1 }]],
    ['a prototype on the way', [{ op: 'add', path: ['flags', '__proto__', 'polluted'], value: 1 }]],
    ['a constructor on the way', [{ op: 'add', path: ['flags', 'constructor', 'prototype', 'polluted'], value: 1 }]],
    ['an inherited name', [{ op: 'replace', path: ['flags', 'toString'], value: 1 }]],
    ['a prototype at its end', [{ op: 'add', path: ['flags', '__proto__'], value: { polluted: 1 } }]],
    ['a value that is not there', [{ op: 'replace', path: ['flags', 'none'], value: 1 }]],
    ['a way that is not there', [{ op: 'add', path: ['flags', 'none', 'below'], value: 1 }]],
    ['a way through a number', [{ op: 'add', path: ['flags', 'n', 'below'], value: 1 }]],
    ['no value', [{ op: 'add', path: ['flags', 'x'] }]],
    ['a number as a name', [{ op: 'add', path: ['flags', 1], value: 1 }]],
    ['a module that is none', [{ op: 'add', path: ['team', 'work_modules', 'WM_9'], value: {} }]],
    ['a module under another id', [{ op: 'replace', path: [...wm, 'module_id'], value: 'WM_2' }]],
    ['a status that is none', [{ op: 'replace', path: [...wm, 'status'], value: 'toString' }]],
    ['a history that is none', [{ op: 'replace', path: [...wm, 'assignee_history'], value: {} }]],
    ['half a module', [{ op: 'remove', path: [...wm, 'name'] }]],
    ['the flags of nobody', [{ op: 'add', path: ['flags', 'x'], value: 1 }], {}],
    ['an agent that never started', [{ op: 'add', path: ['flags', 'x'], value: 1 }], { agentId: 'Nobody_7' }],
  ])('a forged journal with %s is corrupt, and nothing worse', (_what, patches, more) => {
    expect(() => patch(folded(), patches, more)).toThrow(expect.objectContaining({ code: 'STORE_CORRUPT' }) as Error);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each([-1, 0.5, 2, '0', '__proto__', null])('index %s of a list of one is corrupt', (index) => {
    const state = patch(folded(), [{ op: 'add', path: ['flags', 'list'], value: [1] }]);
    expect(() => patch(state, [{ op: 'add', path: ['flags', 'list', index], value: 1 }])).toThrow(/does not fit/);
  });

  it('modules are added and changed in the record of the team, and counted', () => {
    const state = folded();
    const { workModules } = state.team;
    const { modules } = state.counters;
    const [known] = Object.values(workModules);
    patch(state, [
      { op: 'add', path: ['team', 'work_modules', 'WM_9'], value: { ...known, module_id: 'WM_9' } },
      { op: 'replace', path: ['team', 'work_modules', 'WM_9', 'name'], value: 'Ninth' },
    ]);
    expect(state.team.workModules).toBe(workModules);
    expect(workModules['WM_9']).toMatchObject({ module_id: 'WM_9', name: 'Ninth' });
    expect(Object.isFrozen(workModules['WM_9'])).toBe(true);
    expect(state.counters.modules).toBe(modules + 1);
  });
});

const key = fc.constantFrom('a', 'b', 'c', '0', '1', 'n');
const value = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 0, 1, 2.5, 'text', ''),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(key, tie('json'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).json;
const operation: fc.Arbitrary<StateOperation> = fc
  .tuple(
    fc.constantFrom('set', 'increment', 'append', 'remove'),
    fc.constantFrom('flags', 'values', 'deliverables', 'team.shared', 'team'),
    fc.array(key, { minLength: 1, maxLength: 4 }),
    fc.option(value, { nil: undefined }),
  )
  .map(([what, root, keys, given]) => ({ operation: what, path: [root, ...keys].join('.'), value: given }) as StateOperation);

describe('updates as patches', () => {
  it('whatever is done: the patches give the new state, the inverse gives back the old one, and a refused update changes nothing', () => {
    fc.assert(
      fc.property(
        fc.dictionary(key, value, { noNullPrototype: true }),
        fc.array(operation, { maxLength: 8 }),
        (start, operations) => {
          const state = patch(folded(), [
            { op: 'replace', path: ['flags'], value: start as JsonObject },
            { op: 'replace', path: ['team', 'shared'], value: start as JsonObject },
          ] satisfies Patch[]);
          const before = structuredClone(slicesOf(state));
          const edit = new StateEdit(slicesOf(state));
          for (const one of operations) {
            const known = structuredClone(edit.state);
            try {
              updateState(edit, one);
            } catch (error) {
              expect(String(error)).toContain(one.operation);
              expect(edit.state).toEqual(known);
            }
          }
          expect(slicesOf(state)).toEqual(before);
          const after = structuredClone(edit.state);
          expect(edit.inverse.map(({ path }) => path)).toEqual(edit.patches.map(({ path }) => path).toReversed());
          patch(state, JSON.parse(JSON.stringify(edit.patches)));
          expect(slicesOf(state)).toEqual(after);
          patch(state, edit.inverse);
          expect(slicesOf(state)).toEqual(before);
        },
      ),
      { numRuns: 500 },
    );
  });
});
