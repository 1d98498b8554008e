import { expect, test } from 'vitest';
import type { Env } from '../../src/core/env.ts';
import type { EventDraft } from '../../src/core/events/event.ts';
import { Transaction } from '../../src/core/events/transaction.ts';
import type { CallId, ContentHash, TurnId } from '../../src/core/ids.ts';
import type { Patch } from '../../src/core/patches/patch.ts';
import { Secrets } from '../../src/core/secrets/secrets.ts';
import type { WorkModule } from '../../src/core/team/work-module.ts';
import type { TransitionContext } from '../../src/core/tool/transition.ts';
import { TurnContext } from '../../src/core/turn-context.ts';
import { DraftedState } from '../../src/nodes/tools/drafted-state.ts';
import { transitionContext } from '../../src/nodes/tools/transition-context.ts';
import { TeamRun } from '../team/team-run.ts';

/** A run with one module, and the context of a call of its planner that has just begun. */
function planning() {
  const team = new TeamRun();
  team.call(team.partner, 'manage_work_modules', {
    actions: [{ action: 'create', name: 'A', description: 'About A', executor: 'Writer' }],
  });
  const agent = team.agent(team.partner);
  const turnId = 'Partner_1.t9' as TurnId;
  const { flowId } = agent.turn;
  const empty = { sourceTurnIds: [], inputs: [], observers: [] };
  team.emit({ type: 'turn.start', agentId: team.partner, turnId, turnType: 'agent', flowId, ...empty });
  const callId = 'planned' as CallId;
  team.emit({ type: 'tool.request', agentId: team.partner, turnId, callId, name: 'planner', args: {} });
  const call = agent.calls.open.get(callId);
  if (call === undefined) throw new Error('the call is over');
  const tx = new Transaction(team.run, 2_000, { hash: (text) => text as ContentHash, known: new Set() });
  const env = { ...team.env, protocols: new Map(), secrets: new Secrets() } as Partial<Env> as Env;
  const context = transitionContext(new TurnContext(tx, env, agent), call);
  const drafted = (drafts: readonly EventDraft[]): readonly EventDraft[] =>
    new DraftedState(team.run, 'planner', tx.at).toEvents(drafts, turnId);
  return { context, drafted, module: team.module('WM_1'), team };
}

const renamed = (context: TransitionContext, module: WorkModule, name: string): readonly EventDraft[] =>
  context.changeModules(new Map([[module.module_id, { ...module, name }]]));

const patch = (change: Patch): EventDraft => ({ type: 'state.patch', patches: [change], inverse: [] });

const place = ['team', 'work_modules', 'WM_1'];

test('a change that was made from the state it meets is recorded as it is', () => {
  const { context, drafted, module } = planning();
  const made = renamed(context, module, 'B');
  expect(made).toHaveLength(1);
  expect(drafted(made)).toEqual(made);
});

test('a later change meets what the first one leaves, which is not tried itself', () => {
  const { context, drafted, module, team } = planning();
  const created = context.changeModules(new Map([['WM_2', { ...module, module_id: 'WM_2' }]]));
  const path = ['team', 'work_modules', 'WM_2', 'name'];
  expect(drafted([...created, patch({ op: 'replace', path, value: 'B' })])).toHaveLength(2);
  expect(() => drafted([patch({ op: 'replace', path, value: 'B' })])).toThrow(/does not fit the state/);
  expect(Object.keys(team.modules)).toEqual(['WM_1']);
});

test('a change that meets another state than it was made from is tried', () => {
  const { context, drafted, module } = planning();
  const { executor, ...undecided } = module;
  expect(executor).toBe('Writer');
  const made = context.changeModules(new Map([['WM_1', undecided]]));
  expect(drafted(made)).toEqual(made);
  expect(() => drafted([patch({ op: 'remove', path: [...place, 'executor'] }), ...made])).toThrow(/does not fit the state/);
  const other = { ...context.run, team: { ...context.run.team, workModules: { ...context.run.team.workModules, WM_2: module } } };
  const madeThere = context.changeModules(new Map([['WM_2', { ...module, module_id: 'WM_2', name: 'C' }]]), { on: other });
  expect(() => drafted(madeThere)).toThrow(/does not fit the state/);
});

test('a made change cannot be altered', () => {
  const { context, module } = planning();
  const [made] = renamed(context, module, 'B');
  if (made?.type !== 'state.patch') throw new Error('nothing changed');
  expect(() => Object.assign(made, { patches: [] })).toThrow(TypeError);
  expect(() => (made.patches as Patch[]).push({ op: 'remove', path: place })).toThrow(TypeError);
  const [first] = made.patches;
  expect(() => Object.assign(first ?? {}, { path: ['team', 'shared', 'x'] })).toThrow(TypeError);
  const path = (first?.path ?? []) as string[];
  expect(() => path.push('x')).toThrow(TypeError);
});

test('a change that was kept from an earlier call meets another state, and is tried', () => {
  const { context, drafted, module, team } = planning();
  const path = ['team', 'work_modules', 'WM_1', 'name'];
  const [kept] = renamed(context, module, 'B');
  team.emit({ type: 'note.add', level: 'info', code: 'SAID', message: 'something else happened' });
  team.emit({ type: 'state.patch', patches: [{ op: 'remove', path: ['team', 'work_modules', 'WM_1'] }], inverse: [] });
  expect(kept).toMatchObject({ patches: expect.arrayContaining([expect.objectContaining({ path })]) });
  expect(() => drafted(kept === undefined ? [] : [kept])).toThrow(/does not fit the state/);
});
