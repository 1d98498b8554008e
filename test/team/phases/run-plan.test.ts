import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AgentId } from '../../../src/core/ids.ts';
import { isJsonObject, type JsonObject } from '../../../src/core/json.ts';
import { runPlan } from '../../../src/team/phases/run-plan.ts';
import { plainProfile as profile } from '../../support/plain-profile.ts';
import { TeamRun, type CallResult, type TeamRunOptions } from '../team-run.ts';

interface Planned {
  readonly team: TeamRun;
  readonly planner: AgentId;
  readonly call: CallResult;
}

/** A run whose planner has handed in a plan. */
function planned(phases: readonly JsonObject[], settings: JsonObject = {}, options: TeamRunOptions = {}): Planned {
  const tools = [runPlan({ name: 'phases', settings, toolName: (tool) => tool })];
  const planner = profile('Planner', { callableProfiles: ['Researcher', 'Writer'] });
  const team = new TeamRun({ ...options, tools, profiles: [planner, ...(options.profiles ?? [])] });
  const agentId = team.start('Planner', team.partner);
  return { team, planner: agentId, call: team.call(agentId, 'run_plan', { goal: 'All of it.', phases }) };
}

const atWork = (team: TeamRun): readonly AgentId[] =>
  [...team.run.agents.values()].flatMap(({ meta, status }) =>
    meta.moduleId !== undefined && status !== 'ended' ? [meta.agentId] : [],
  );

const phasesOf = ({ team, call }: Planned): readonly JsonObject[] => {
  const { phases } = team.result(call.callId).data;
  return Array.isArray(phases) ? phases.filter(isJsonObject) : [];
};

const statesOf = (plan: Planned): readonly unknown[] => phasesOf(plan).map(({ status }) => status);

/** Ends whoever is at work on a module. */
function end(
  { team }: Planned,
  moduleId: string,
  outcome = 'success',
  deliverables: JsonObject = { primary_summary: 'Done.' },
): void {
  const agentId = team.associates(moduleId).at(-1);
  if (agentId === undefined) throw new Error(`nobody is at work on ${moduleId}`);
  team.end(agentId, outcome, outcome === 'success' ? { deliverables } : { error: 'It broke.' });
}

describe('a plan in an unquiet run', () => {
  test('several agents that end in one commit are settled at once, and what comes next begins once', () => {
    const plan = planned([
      { name: 'a', depends_on: [] },
      { name: 'b', depends_on: [] },
      { name: 'c', depends_on: ['a', 'b'] },
    ]);
    const { team } = plan;
    const [first, second] = atWork(team);
    if (first === undefined || second === undefined) throw new Error('two should be at work');
    team.endSilently(first, 'success', { output: 'A.' });
    team.endSilently(second, 'success', { output: 'B.' });
    team.tell(first);
    team.tell(second);
    expect(atWork(team)).toHaveLength(1);
    end(plan, 'WM_3');
    expect(statesOf(plan)).toEqual(['completed', 'completed', 'completed']);
  });

  test.each(['success', 'error', 'limit', 'stagnation', 'cancelled', 'needs_help'])('an agent that ends with %s', (outcome) => {
    const plan = planned([{ name: 'a' }, { name: 'b' }]);
    end(plan, 'WM_1', outcome);
    expect(plan.team.module('WM_1').status).toBe(outcome === 'success' ? 'completed' : 'pending_review');
    if (outcome === 'success') return expect(atWork(plan.team)).toHaveLength(1);
    expect(statesOf(plan)).toEqual([outcome === 'cancelled' ? 'cancelled' : 'failed', 'not_started']);
    expect(plan.team.result(plan.call.callId).isError).toBe(true);
    expect(plan.team.module('WM_2').status).toBe('deprecated');
  });

  test.each([
    ['completed', ['completed', 'completed', 'completed'], undefined],
    ['deprecated', ['completed', 'failed', 'not_started'], 'module WM_2 is deprecated: it no longer belongs to the plan'],
  ])('a step that somebody else has moved to %s before its turn came', (status, states, error) => {
    const plan = planned([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
    const { team } = plan;
    team.call(team.partner, 'manage_work_modules', {
      actions: [{ action: 'status_change', module_id: 'WM_2', new_status: status }],
    });
    end(plan, 'WM_1');
    if (status === 'completed') end(plan, 'WM_3');
    expect(statesOf(plan)).toEqual(states);
    expect(phasesOf(plan)[1]?.['error']).toBe(error);
  });

  test('what somebody writes into a step before its turn comes is what its worker is told', () => {
    const plan = planned([{ name: 'a' }, { name: 'b', goals: 'Old.' }]);
    const { team } = plan;
    team.call(team.partner, 'manage_work_modules', { actions: [{ action: 'update', module_id: 'WM_2', description: 'New.' }] });
    end(plan, 'WM_1');
    const [worker] = atWork(team);
    expect(worker === undefined ? undefined : team.agent(worker).initialParams['assignment_specific_instructions']).toBe('New.');
  });

  test('where no agent may be started any more, the steps fail with the limit and the plan is answered', () => {
    const plan = planned([{ name: 'a' }, { name: 'b' }], {}, { limits: { maxTotal: 3 } });
    end(plan, 'WM_1');
    expect(statesOf(plan)).toEqual(['completed', 'failed']);
    expect(phasesOf(plan)[1]?.['error']).toContain('limit maxTotal');
    const none = planned([{ name: 'a' }], {}, { limits: { maxLive: 2 } });
    expect(none.call).toMatchObject({ suspended: false, isError: true });
    expect(none.team.module('WM_1').status).toBe('deprecated');
  });

  test('a plan beside other work of the same agent has one agent at work at least, and no more than its share', () => {
    const { team, planner, call } = planned(
      [
        { name: 'a', depends_on: [] },
        { name: 'b', depends_on: [] },
      ],
      { max_parallel: 1 },
    );
    const second = team.call(planner, 'run_plan', { phases: [{ name: 'c' }, { name: 'd', depends_on: [] }] });
    expect([call.suspended, second.suspended]).toEqual([true, true]);
    expect(atWork(team)).toHaveLength(2);
  });

  test('a cancelled plan closes what is open, and nothing else of the team', () => {
    const { team, planner, call } = planned([{ name: 'a' }, { name: 'b' }]);
    team.call(team.partner, 'manage_work_modules', { actions: [{ action: 'create', name: 'other', description: 'Mine.' }] });
    for (const agentId of atWork(team)) team.endSilently(agentId, 'cancelled');
    const open = team.agent(planner).calls.open.get(call.callId);
    const context = team.context(planner, open?.request.turnId as never, call.callId);
    for (const draft of team.tool('run_plan').cancel?.({}, context, open?.memo ?? null) ?? []) team.emit(draft);
    expect(Object.values(team.modules).map(({ status }) => status)).toEqual(['pending_review', 'deprecated', 'pending']);
  });
});

describe('any plan, whatever becomes of its agents', () => {
  const phases = fc
    .array(fc.option(fc.array(fc.nat(9), { maxLength: 3 }), { nil: undefined, freq: 3 }), { minLength: 1, maxLength: 10 })
    .map((list) =>
      list.map((before, index) => ({
        name: `p${index}`,
        ...(before === undefined
          ? {}
          : { depends_on: index === 0 ? [] : [...new Set(before.map((number) => `p${number % index}`))] }),
      })),
    );

  test('is answered once, keeps to its order and its cap, and leaves no module open', () => {
    fc.assert(
      fc.property(
        phases,
        fc.array(fc.tuple(fc.nat(9), fc.constantFrom('success', 'success', 'success', 'error', 'cancelled'))),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom('stop', 'continue'),
        (given, ends, cap, onFailure) => {
          const plan = planned(given, { max_parallel: cap, on_failure: onFailure });
          const { team, call } = plan;
          const left = [...ends];
          for (let working = atWork(team); working.length > 0; working = atWork(team)) {
            expect(working.length).toBeLessThanOrEqual(cap);
            expect(team.results.has(call.callId)).toBe(false);
            for (const agentId of working) {
              const { moduleId = '' } = team.agent(agentId).meta;
              for (const id of team.module(moduleId).depends_on) expect(team.module(id).status).toBe('completed');
            }
            const [which, outcome] = left.shift() ?? [0, 'success'];
            const agentId = working[which % working.length];
            if (agentId !== undefined) team.end(agentId, outcome);
          }
          const { data } = team.result(call.callId);
          expect(team.events.filter(({ type }) => type === 'tool.end')).toHaveLength(1);
          const states = statesOf(plan);
          expect(data['status']).toBe(
            states.every((state) => state === 'completed') ? 'success' : states.includes('completed') ? 'partial' : 'failed',
          );
          const open = Object.values(team.modules).filter(({ status }) => status === 'ongoing' || status === 'pending');
          expect(open).toEqual([]);
          if (onFailure === 'continue')
            for (const [index, state] of states.entries())
              if (state === 'not_started') {
                const before = team.module(`WM_${index + 1}`).depends_on;
                expect(before.some((id) => team.module(id).status !== 'completed')).toBe(true);
              }
        },
      ),
      { numRuns: 60 },
    );
  });
});
