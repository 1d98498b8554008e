import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';
import { call, messagesOf, play, resultOf, say, speaks } from './scenario.ts';

const clerk = `
name: Clerk
type: associate
llm_config_ref: clerk
instructions: You look things up.
callable_profiles: [Helper]
tool_access_policy: { allowed_individual_tools: [list_columns, count_rows], allowed_toolsets: [results, agents] }
inbox_handling_strategies:
  - { source: TOGETHER, ingestor: aggregated_results, params: { title: "Put together:", is_persistent_in_memory: false } }
pre_turn_observers:
  - id: together
    condition: inbox.filter(i, i.source == 'TOOL_RESULT').size() > 1
    action:
      type: add_to_inbox
      inbox_item: { source: TOGETHER, payload: "{{ inbox.filter(i, i.source == 'TOOL_RESULT') }}" }
`;

const helper = `
name: Helper
type: associate
llm_config_ref: helper
instructions: You help.
`;

const formats = `
type: toolset
name: results
settings: { formats: { list_columns: { rows: columns, columns: [name] } } }
`;

const listColumns = tool('list_columns', ({ table }) => ({ table, columns: [{ name: `${String(table)}_id`, type: 'int' }] }));
const countRows = tool('count_rows', () => 'There are 7.');

const both = (...calls: readonly (readonly [string, JsonObject])[]) => ({
  text: '',
  toolCalls: calls.map(([name, args]) => ({ name, args })),
});

describe('what calls brought, handed in as it is', () => {
  it('[A4.1.parallel-results] [B.67] equal calls of one reply become one table; the agent ends with it, and no model writes it again', async () => {
    const store = createMemoryJournal();
    const model = speaks(
      both(['list_columns', { table: 'tea' }], ['list_columns', { table: 'cup' }]),
      call('submit_results', { summary: 'Two tables.' }),
    );
    const run = await play({
      yaml: [clerk, helper, formats],
      models: { clerk: model, helper: speaks() },
      tools: [listColumns, countRows],
      store,
    });
    expect(run.state.outcome).toBe('success');
    expect(await run.result).toMatchObject({
      output: 'Two tables.',
      deliverables: {
        primary_summary: 'Two tables.',
        kind: 'table',
        operation: 'list_columns',
        columns: ['name'],
        rows: [{ name: 'tea_id' }, { name: 'cup_id' }],
      },
    });
    await verifyRun(run, store, { requests: model.requests });
  });

  it('[A4.1.parallel-results] different calls have a section each, agents that were called as well; the model can be shown them so', async () => {
    const model = speaks(
      both(['list_columns', { table: 'tea' }], ['count_rows', {}], ['call_agent', { profile: 'Helper', input: 'Help.' }]),
      call('submit_results'),
    );
    const run = await play({
      yaml: [clerk, helper, formats],
      models: { clerk: model, helper: speaks(say('Helped.')) },
      tools: [listColumns, countRows],
    });
    expect((await run.result).deliverables).toMatchObject({
      primary_summary: 'There are 7. | Helped.',
      kind: 'sections',
      sections: [
        { worker: 'list_columns', result: { columns: [{ name: 'tea_id' }] } },
        { worker: 'count_rows', summary: 'There are 7.', result: 'There are 7.' },
        { worker: 'Helper', operation: 'Helper', result: 'Helped.' },
      ],
    });
    expect(messagesOf(model.requests[1]).at(-1)).toContain('Put together:\n### list_columns');
  });

  it('is refused when the last step called nothing', async () => {
    const model = speaks(call('submit_results'), say('Nothing, then.'));
    const run = await play({
      yaml: [clerk, helper, formats],
      models: { clerk: model, helper: speaks() },
      tools: [listColumns, countRows],
    });
    expect(resultOf(run, 'submit_results')).toContain('there are no results to hand in');
    expect(run.state.outcome).toBe('success');
  });
});
