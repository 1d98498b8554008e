import { moduleChanges } from '../../src/core/patches/module-changes.ts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AgentId } from '../../src/core/ids.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { canMove, type ModuleStatus } from '../../src/core/team/work-module.ts';
import { assignment, plannedRun } from './planned-run.ts';
import type { TeamRun } from './team-run.ts';

type Step =
  | { readonly kind: 'create'; readonly dependsOn: readonly string[] }
  | { readonly kind: 'move'; readonly id: string; readonly to: ModuleStatus }
  | { readonly kind: 'link'; readonly id: string; readonly dependsOn: readonly string[] }
  | { readonly kind: 'dispatch'; readonly ids: readonly string[]; readonly profile: string }
  | { readonly kind: 'end'; readonly which: number; readonly outcome: string }
  | { readonly kind: 'relaunch' };

const id = fc.integer({ min: 1, max: 6 }).map((number) => `WM_${number}`);
const status = fc.constantFrom<ModuleStatus>('pending', 'ongoing', 'pending_review', 'completed', 'deprecated');

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), dependsOn: fc.array(id, { maxLength: 2 }) }),
  fc.record({ kind: fc.constant('move' as const), id, to: status }),
  fc.record({ kind: fc.constant('link' as const), id, dependsOn: fc.array(id, { maxLength: 2 }) }),
  {
    arbitrary: fc.record({
      kind: fc.constant('dispatch' as const),
      ids: fc.array(id, { minLength: 1, maxLength: 4 }),
      profile: fc.constantFrom('Researcher', 'Writer', 'Nobody'),
    }),
    weight: 2,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      which: fc.nat(20),
      outcome: fc.constantFrom('success', 'error', 'limit', 'cancelled'),
    }),
    weight: 3,
  },
  fc.record({ kind: fc.constant('relaunch' as const) }),
);

/** Drives one run by steps, and watches every status change on the way. */
class Driver {
  readonly team: TeamRun;
  #principal: AgentId;
  #seen = 0;

  constructor() {
    const { team, principal } = plannedRun(3, { maxParallel: 2 });
    this.team = team;
    this.#principal = principal;
    this.#seen = team.events.length;
  }

  take(taken: Step): void {
    const before = new Map(Object.values(this.team.modules).map((module) => [module.module_id, module.status]));
    this.#carryOut(taken);
    this.#checkTransitions(before, taken);
    this.#checkOngoing();
    this.#checkCap();
  }

  #carryOut(taken: Step): void {
    const manage = (action: JsonObject): unknown => this.team.call(this.team.partner, 'manage_work_modules', { actions: [action] });
    switch (taken.kind) {
      case 'create':
        return void manage({ action: 'create', name: 'New', description: 'New', depends_on: taken.dependsOn });
      case 'move':
        return void manage({ action: 'status_change', module_id: taken.id, new_status: taken.to });
      case 'link':
        return void manage({ action: 'update', module_id: taken.id, depends_on: taken.dependsOn });
      case 'dispatch': {
        const assignments = taken.ids.map((moduleId) => assignment(moduleId, { agent_profile_logical_name: taken.profile }));
        return void this.team.call(this.#principal, 'dispatch_submodules', { assignments });
      }
      case 'end': {
        const alive = this.alive();
        const agentId = alive[taken.which % Math.max(1, alive.length)];
        return agentId === undefined ? undefined : this.team.end(agentId, taken.outcome);
      }
      case 'relaunch':
        this.team.call(this.team.partner, 'launch_principal', {
          iteration_mode: 'start_fresh',
          force_terminate_and_relaunch: true,
          initial_briefing_for_principal: { user_query: 'Again' },
        });
        this.#principal = this.team.run.latestOfType.get('principal') ?? this.#principal;
    }
  }

  /** The associates that have not ended. */
  alive(): readonly AgentId[] {
    return [...this.team.run.agents.values()]
      .filter((agent) => agent.meta.moduleId !== undefined && agent.status !== 'ended')
      .map((agent) => agent.meta.agentId);
  }

  #checkTransitions(before: Map<string, ModuleStatus>, taken: Step): void {
    const actor = taken.kind === 'move' || taken.kind === 'create' || taken.kind === 'link' ? 'planner' : 'dispatch';
    for (const event of this.team.events.slice(this.#seen)) {
      for (const { moduleId, fields } of moduleChanges(event)) {
        const from = before.get(moduleId);
        const to = fields.status;
        if (to === undefined) continue;
        if (from === undefined) expect(to).toBe('pending');
        else expect([moduleId, from, to, canMove(from, to, actor)]).toEqual([moduleId, from, to, true]);
        before.set(moduleId, to);
      }
    }
    this.#seen = this.team.events.length;
  }

  #checkOngoing(): void {
    const { run } = this.team;
    const busy = this.alive().map((agentId) => run.agents.get(agentId)?.meta.moduleId);
    const ongoing = Object.values(this.team.modules).filter((module) => module.status === 'ongoing');
    expect(new Set(busy)).toEqual(new Set(ongoing.map((module) => module.module_id)));
    expect(busy).toHaveLength(ongoing.length);
    for (const module of ongoing) expect(module.assignee_history.filter((entry) => entry.outcome === 'running')).toHaveLength(1);
    const open = run.team.dispatchHistory.filter((record) => record.status === 'QUEUED' || record.status === 'RUNNING');
    expect(open).toHaveLength(ongoing.length);
  }

  #checkCap(): void {
    const { run } = this.team;
    const working = this.alive().filter((agentId) => run.agents.get(agentId)?.status !== 'held');
    const calls = new Set(this.alive().map((agentId) => run.agents.get(agentId)?.meta.callId));
    expect(working.length).toBeLessThanOrEqual(Math.max(2, 1 + calls.size));
    // Held ones are only there while somebody works whose end releases them.
    if (this.alive().length > 0) expect(working.length).toBeGreaterThan(0);
  }
}

// Generous: how long the generated sequences take is not what is tested.
const options = { timeout: 120_000 };

describe('work modules under any sequence of plans, dispatches, ends and relaunches', () => {
  test('never move against the table, and are ongoing exactly as long as an agent has them', options, () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const driver = new Driver();
        for (const taken of steps) driver.take(taken);
      }),
      { numRuns: 80 },
    );
  });

  test('every dispatch ends once its associates have, whatever order they end in', options, () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.array(fc.nat(20), { maxLength: 20 }), (steps, order) => {
        const driver = new Driver();
        for (const taken of steps) driver.take(taken);
        for (let turn = 0; driver.alive().length > 0; turn += 1)
          driver.take({ kind: 'end', which: order[turn % Math.max(1, order.length)] ?? 0, outcome: 'success' });
        const waiting = [...driver.team.run.agents.values()].filter(
          (agent) => agent.status !== 'ended' && agent.calls.open.size > 0,
        );
        expect(waiting).toEqual([]);
        expect(Object.values(driver.team.modules).filter((module) => module.status === 'ongoing')).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test('dependencies never form a cycle', options, () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const driver = new Driver();
        for (const taken of steps) driver.take(taken);
        const modules = driver.team.modules;
        const done = new Set<string>();
        for (let left = Object.keys(modules); left.length > 0;) {
          const free = left.filter((moduleId) => modules[moduleId]?.depends_on.every((other) => done.has(other)));
          expect(free).not.toEqual([]);
          for (const moduleId of free) done.add(moduleId);
          left = left.filter((moduleId) => !done.has(moduleId));
        }
      }),
      { numRuns: 60 },
    );
  });
});
