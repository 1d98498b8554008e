import { describe, expect, it } from 'vitest';
import { defineTool } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { call, dataOf, play, promptOf, speaks, turnsOf } from './scenario.ts';
import { assignment, dispatch, finish, plan, principal } from './team.ts';

/** An Associate that is warned at 1,000 tokens of context, urged at 2,000, and at 3,000 can do nothing but hand in. */
const careful = `
name: Worker
type: associate
llm_config_ref: worker
instructions: You read.
available_for_staffing: true
tool_access_policy: { allowed_toolsets: [flow_control_end], allowed_individual_tools: [read] }
text_definitions:
  warning: Your context fills up. Read only what you must.
  critical: Your context is nearly full. Hand in what you have soon.
  exceeded: Your context is full. Hand in what you have, in parts if need be.
pre_turn_observers:
  - id: warn
    condition: state.context_tokens >= 1000 && default(flags.context_level, 0) < 1
    action: { type: add_to_inbox, inbox_item: { source: INTERNAL_DIRECTIVE, payload: { content_key: warning } } }
  - id: warned
    condition: state.context_tokens >= 1000 && default(flags.context_level, 0) < 1
    action: { type: update_state, updates: [{ operation: set, path: flags.context_level, value: 1 }] }
  - id: urge
    condition: state.context_tokens >= 2000 && default(flags.context_level, 0) < 2
    action: { type: add_to_inbox, inbox_item: { source: INTERNAL_DIRECTIVE, payload: { content_key: critical } } }
  - id: urged
    condition: state.context_tokens >= 2000 && default(flags.context_level, 0) < 2
    action: { type: update_state, updates: [{ operation: set, path: flags.context_level, value: 2 }] }
  - id: stop
    condition: state.context_tokens >= 3000
    action: { type: add_to_inbox, inbox_item: { source: INTERNAL_DIRECTIVE, payload: { content_key: exceeded } } }
  - id: hand_in
    condition: state.context_tokens >= 3000
    action: { type: set_tool_choice, tool_choice: finish_flow }
`;

const read = defineTool({
  name: 'read',
  description: 'Reads.',
  parameters: { type: 'object', properties: {} },
  effect: 'pure',
  execute: () => 'green tea wants water of eighty degrees. '.repeat(80),
});

describe('[A1.13.context-budget] [B.45] a context that fills up, in three levels of a profile', () => {
  it('warned, urged, then held to handing in; who asked has what there is, and goes on', async () => {
    // It reads for ever, unless it can do nothing but hand in.
    const model = scriptedModel((request) =>
      JSON.stringify(request.toolChoice).includes('finish_flow')
        ? finish('As far as I came.', { primary_summary: 'eighty degrees' })
        : call('read'),
    );
    const lead = speaks(plan('one'), dispatch(assignment('WM_1')), finish('Part of it.'));
    const run = await play({ yaml: [principal, careful], models: { principal: lead, worker: model }, tools: [read] });
    const turns = turnsOf(run, 'Worker');
    const told = turns.map(({ inputs }) =>
      inputs.filter(({ source }) => source === 'INTERNAL_DIRECTIVE').map(({ content }) => String(content).split('.')[0]),
    );
    expect(told.filter((words) => words.length > 0)).toEqual([
      ['Your context fills up'],
      ['Your context is nearly full'],
      ['Your context is full'],
    ]);
    expect(turns.at(-1)).toMatchObject({ toolChoice: 'finish_flow', toolInteractions: [{ name: 'finish_flow', status: 'ok' }] });
    expect(turns.slice(0, -1).every(({ toolChoice }) => toolChoice === undefined)).toBe(true);
    // Handed back to whoever asked, who goes on with it.
    expect(dataOf(run, 'dispatch_submodules')).toMatchObject({
      status: 'SUCCESS',
      assignment_execution_results: [{ module_id: 'WM_1', deliverables: { primary_summary: 'eighty degrees' } }],
    });
    expect(promptOf(lead.requests[2])).toContain('eighty degrees');
    expect(run.state).toMatchObject({ status: 'completed', output: 'Part of it.' });
  });
});
