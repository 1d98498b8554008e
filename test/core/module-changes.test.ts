import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AgentId } from '../../src/core/ids.ts';
import type { DraftModule } from '../../src/core/patches/state-draft.ts';
import type { PatchedState } from '../../src/core/patches/state-patch.ts';
import { moduleChanges } from '../../src/core/team/module-changes.ts';
import { emptyModule, type Assignment, type WorkModule } from '../../src/core/team/work-module.ts';
import { runRecipe } from '../../src/observers/state-recipe.ts';

const owner = { owner: 'the test', actor: 'dispatch', created: 3, at: 500 } as const;

const attempt = (n: number): Assignment => ({
  dispatch_id: `D_${n}`,
  agent_id: `Adder_${n}` as AgentId,
  started_at: n,
  outcome: 'running',
});

const known = Object.fromEntries(
  ['WM_1', 'WM_2', 'WM_3'].map((id, index) => [
    id,
    Object.freeze({
      ...emptyModule(id, 100),
      name: id,
      assignee_history: Object.freeze(Array.from({ length: index }, (_, n) => Object.freeze(attempt(n)))),
    }),
  ]),
);

const field = fc.oneof(
  fc.record({ status: fc.constantFrom('ongoing', 'pending', 'completed') }),
  fc.record({ name: fc.constantFrom('WM_1', 'A', '\ud800') }),
  fc.record({ depends_on: fc.subarray(['WM_1', 'WM_2', 'WM_3', 'WM_4', 'WM_9']) }),
  fc.record({ deliverables: fc.constantFrom({}, { summary: 'Done.' }) }),
  fc.record({ review_info: fc.constantFrom(null, { message: 'Look.', error_details: null }) }),
  fc.record({ assignee_history: fc.constantFrom('push', 'end', 'clear') }),
) as fc.Arbitrary<Readonly<Record<string, unknown>>>;

const edit = fc.record({ id: fc.constantFrom('WM_1', 'WM_2', 'WM_3', 'WM_4', 'WM_5'), fields: fc.array(field, { maxLength: 3 }) });

/** A module after edits, from its parts of before. */
function edited(module: WorkModule, fields: Readonly<Record<string, unknown>>): WorkModule {
  const { assignee_history: how, ...others } = fields;
  const history = module.assignee_history;
  const lists = {
    push: [...history, attempt(7)],
    end: history.map((entry) => ({ ...entry, ended_at: 9, outcome: 'cancelled' as const })),
    clear: [],
  };
  const assignee_history = how === undefined ? history : lists[how as keyof typeof lists];
  return { ...module, ...others, assignee_history };
}

/** Returns what a function returns, or the message of what it throws. */
function outcome(run: () => unknown): unknown {
  try {
    return JSON.stringify(run());
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

test('modules that change as a whole give the patches of a draft with the same changes, or are refused like it', () => {
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 5 }), (edits) => {
      const changed = new Map<string, WorkModule>();
      for (const { id, fields } of edits) {
        const before = changed.get(id) ?? known[id] ?? emptyModule(id, owner.at);
        changed.set(id, fields.reduce<WorkModule>(edited, before));
      }
      // A draft records the known modules before the new ones.
      const ordered = new Map([...changed].sort(([a], [b]) => Number(known[a] === undefined) - Number(known[b] === undefined)));
      const state: PatchedState = { flags: {}, values: {}, deliverables: {}, team: { shared: {}, work_modules: known } };
      const byDraft = outcome(() =>
        runRecipe(
          state,
          ({ team }) => {
            for (const [id, module] of ordered) {
              const draft = team.work_modules[id];
              if (draft === undefined) team.work_modules[id] = structuredClone(module) as DraftModule;
              else Object.assign(draft, structuredClone(module));
            }
          },
          owner,
        ),
      );
      expect(outcome(() => moduleChanges(known, ordered, owner))).toBe(byDraft);
    }),
    { numRuns: 500 },
  );
});

test('new modules get the next ids, and no others', () => {
  const created = (...ids: readonly string[]): unknown =>
    outcome(() => moduleChanges(known, new Map(ids.map((id) => [id, { ...emptyModule(id, 1), name: id }])), owner));
  expect(created('WM_4', 'WM_5')).toContain('"WM_5"');
  for (const ids of [['WM_5'], ['WM_4', 'WM_6'], ['WM_04'], ['__proto__'], ['WM_4', 'x']])
    expect(created(...ids)).toMatch(/a new work module cannot be .*; the next id is WM_4/);
});
