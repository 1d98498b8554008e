import { describe, expect, it } from 'vitest';
import type { ScriptedReply } from '../../src/testing/index.ts';
import { breathe, testEngine } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const call = (name: string, args: object): ScriptedReply => ({ toolCalls: [{ name, args: args as never }] });
const create = call('manage_work_modules', { actions: [{ action: 'create', name: 'One', description: 'Do it.' }] });
const dispatch = call('dispatch_submodules', {
  assignments: [
    {
      module_id_to_assign: 'WM_1',
      agent_profile_logical_name: 'Worker',
      assigned_role_name: 'Worker',
      assignment_specific_instructions: 'Go.',
    },
  ],
});

/** A lead that dispatches one module twice, and a worker that never finishes by itself. */
function teamWith(perModule: string, worker: (turn: number) => ScriptedReply) {
  let turn = 0;
  const lead = [create, dispatch, dispatch, { text: 'over' }];
  let step = 0;
  return testEngine({
    team: {},
    profile: {
      Lead: `type: principal\ntool_access_policy: { allowed_toolsets: [planning_tools, dispatch_tools] }\nlimits: { per_module: { ${perModule} } }\n`,
      Worker: `available_for_staffing: true\n${allow('t')}`,
    },
    tools: [tool('t', () => 'x')],
    replies: (request) => {
      const isLead = request.tools?.some(({ name }) => name === 'dispatch_submodules') === true;
      return isLead ? (lead[step++] ?? { text: 'over' }) : worker(++turn);
    },
  });
}

describe('limits of a work module, over all attempts at it', () => {
  it.each([
    ['max_turns: 4', 'turns'],
    ['max_tool_calls: 4', 'tool calls'],
    ['max_tokens: 4000', 'tokens'],
  ])('%s: its associates end as limit and it goes to review', async (perModule, words) => {
    const team = await teamWith(perModule, () => ({
      text: 'partly',
      toolCalls: [{ name: 't', args: {} }],
      usage: { inputTokens: 500, outputTokens: 200 },
    }));
    const run = await team.launch();
    expect(await run.result).toMatchObject({ outcome: 'success', output: 'over' });
    const workers = [...run.state.agents.values()].filter(({ meta }) => meta.profile === 'Worker');
    expect(workers.map(({ result: { outcome } }) => outcome)).toEqual(['limit', 'limit']);
    expect(workers[0]?.result.error?.message).toMatch(new RegExp(`${words}.*(of work module WM_1|on WM_1)`));
    // The second attempt begins with what the first one left: nothing but its last word.
    expect(workers[1]?.turn.count).toBeLessThanOrEqual(1);
    expect(run.state.team.workModules['WM_1']).toMatchObject({
      status: 'pending_review',
      review_info: { trigger: 'associate_failed', error_details: { outcome: 'limit' } },
    });
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('max_wall_seconds: what earlier attempts took counts as well', async () => {
    const team = await teamWith('max_wall_seconds: 20', (turn) => (turn === 2 ? { text: 'first' } : { hang: true }));
    const run = await team.launch();
    await breathe();
    await team.clock.advance(20_000);
    await breathe();
    await team.clock.advance(20 * 60_000);
    await run.result;
    const workers = [...run.state.agents.values()].filter(({ meta }) => meta.profile === 'Worker');
    expect(workers.map(({ result: { outcome } }) => outcome)).toEqual(['limit', 'limit']);
    expect(workers.map(({ result: { error } }) => /seconds of working time on WM_1/.test(error?.message ?? ''))).toEqual([
      true,
      true,
    ]);
    expect(run.state.team.workModules['WM_1']?.status).toBe('pending_review');
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });
});
