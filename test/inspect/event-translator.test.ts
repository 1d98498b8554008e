import { describe, expect, it } from 'vitest';
import type { CadreEvent } from '../../src/core/events/event.ts';
import { defineTool, type JsonObject } from '../../src/index.ts';
import { eventDialects, eventTranslator, type TranslatorOptions } from '../../src/compat/events/event-translator.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { testEngine } from '../support/test-engine.ts';

const count = defineTool({
  name: 'count_rows',
  description: 'Counts rows.',
  parameters: { type: 'object', properties: { table: { type: 'string' } }, required: ['table'] },
  effect: 'pure',
  execute: ({ table }) => (table === 'Sales' ? '42 rows' : Promise.reject(new Error('no such table'))),
});

const drop = defineTool({
  name: 'drop',
  description: 'Drops.',
  parameters: { type: 'object' },
  effect: 'unsafe',
  execute: () => 'gone',
});

const call = (name: string, args: JsonObject) => ({ toolCalls: [{ name, args }] });

/** An orchestrator that asks a manager, which asks a worker, which counts, is refused, stops for a person and goes on. */
async function played(): Promise<readonly CadreEvent[]> {
  const asks = (name: string, next: string): string =>
    `name: ${name}\nexposable_as_tool: { name: ask_${next}, description: Asks., parameters: { type: object, properties: { task: { type: string } } } }`;
  const models = {
    boss: scriptedModel([call('ask_manager', { task: 'Count the sales.' }), { text: 'There are 42 sales.' }]),
    lead: scriptedModel([call('ask_worker', { task: 'Count Sales.' }), { text: '42 sales.' }]),
    hand: scriptedModel([
      { text: 'Let me see.', ...call('count_rows', { table: 'Sales' }) },
      call('count_rows', { table: 'Costs' }),
      call('drop', {}),
      { text: '42 rows.' },
    ]),
  };
  const profile = {
    Orchestrator: 'type: orchestrator\nllm_config_ref: boss\ntool_access_policy: { allowed_individual_tools: [ask_manager] }',
    Manager: `type: manager\nllm_config_ref: lead\ntool_access_policy: { allowed_individual_tools: [ask_worker] }\n${asks('Manager', 'manager').split('\n')[1] ?? ''}`,
    Worker: `type: worker\nllm_config_ref: hand\ntool_access_policy: { allowed_individual_tools: [count_rows, drop] }
tool_gates: [{ id: no_drop, tools: [drop], verdict: deny, message: Nothing is dropped. }]
checkpoints: [{ id: two, after_turns: 2 }]\n${asks('Worker', 'worker').split('\n')[1] ?? ''}`,
  };
  const { launch, engine, journal } = await testEngine({ profile, models, tools: [count, drop], team: {} });
  const run = await launch('How many sales are there?');
  await run.settled();
  const [asked] = run.pending;
  if (asked !== undefined) await run.answer(asked.id, 'go on');
  await run.result;
  const events = await journal.read(run.id);
  await engine.close();
  return events;
}

function told(events: readonly CadreEvent[], options: TranslatorOptions) {
  const translate = eventTranslator(options);
  return events.flatMap((event) => translate(event));
}

describe('[A4.4.event-bus] [B.79] events under the names of agent_framework', () => {
  it('say who did what, how it came out, and what it was about', async () => {
    const events = told(await played(), { as: 'agent_framework' });
    const names = events.map(({ event, actor }) => `${(actor as { name: string }).name} ${event}`);
    expect(names).toEqual([
      'user request_start',
      'Orchestrator orchestrator_start',
      'Orchestrator delegation_planned',
      'Orchestrator delegation_chosen',
      'Manager manager_start',
      'Manager delegation_planned',
      'Manager delegation_chosen',
      'Worker agent_start',
      'Worker action_planned',
      'Worker worker_tool_call',
      'Worker worker_tool_result',
      'Worker action_executed',
      'Worker action_planned',
      'Worker worker_tool_call',
      'Worker worker_tool_result',
      'Worker action_executed',
      'Worker action_planned',
      'Worker action_planned',
      'Worker policy_denied',
      'Worker agent_end',
      'Manager delegation_executed',
      'Manager action_executed',
      'Manager manager_end',
      'Orchestrator delegation_executed',
      'Orchestrator action_executed',
      'Orchestrator orchestrator_end',
    ]);
    const named = (name: string) => events.filter(({ event }) => event === name);
    expect(named('worker_tool_call')[0]).toMatchObject({
      actor: { role: 'worker', name: 'Worker', version: expect.any(String) },
      status: 'pending',
      result_detail: { operation: 'count_rows', payload: { tool: 'count_rows', args: { table: 'Sales' } } },
    });
    expect(named('action_executed').slice(0, 2)).toMatchObject([
      { status: 'success', result_detail: { payload: '42 rows', summary: '42 rows' } },
      {
        status: 'error',
        result_detail: { payload: { success: false, error: true, error_type: 'TOOL_FAILED', tool: 'count_rows' } },
      },
    ]);
    expect(named('action_planned')[2]).toMatchObject({ status: 'pending', result_detail: { operation: 'await_approval' } });
    expect(named('policy_denied')[0]).toMatchObject({ status: 'error', result_detail: { summary: 'Nothing is dropped.' } });
    expect(named('orchestrator_end')[0]).toMatchObject({
      status: 'success',
      result_detail: { operation: 'display_message', payload: { message: 'There are 42 sales.' }, summary: 'There are 42 sales.' },
    });
  });

  it('are those that are allowed, and in the shape of JSON; a part of a journal says the same as all of it', async () => {
    const events = await played();
    const some = told(events, { as: 'agent_framework', allow: ['agent_start', 'agent_end'] });
    expect(some.map(({ event }) => event)).toEqual(['agent_start', 'agent_end']);
    const all = told(events, { as: 'agent_framework', allow: ['*'] });
    expect(all).toEqual(told(events, { as: 'agent_framework' }));
    expect(JSON.parse(JSON.stringify(all))).toEqual(all);
    for (const { seq } of all) expect(events[seq - 1]?.seq).toBe(seq);
    expect(told(events.slice(0, 20), { as: 'agent_framework' })).toEqual(all.filter(({ seq }) => seq <= 20));
  });

  it('there are no others: unknown systems and names are refused', () => {
    expect(eventDialects).toEqual(['agent_framework', 'anges']);
    expect(() => eventTranslator({ as: 'other' as never })).toThrow('known: agent_framework, anges');
    expect(() => eventTranslator({ as: 'anges', allow: ['agent_start'] })).toThrow('anges has no event named agent_start');
  });
});

describe('[A5.event-types] events under the names of Anges', () => {
  it('stand each in the stream of its agent, children with how they ended in that of their parent', async () => {
    const events = told(await played(), { as: 'anges' });
    expect(events.map(({ stream, event }) => `${String(stream)} ${event}`)).toEqual([
      'Orchestrator_1 new_request',
      'Orchestrator_1 new_child_agent',
      'Orchestrator_1 child_agent_running',
      'Manager_2 new_request_from_parent',
      'Manager_2 new_child_agent',
      'Manager_2 child_agent_running',
      'Worker_3 new_request_from_parent',
      'Worker_3 action',
      'Worker_3 action',
      'Worker_3 agent_requested_help',
      'Worker_3 follow_up_request',
      'Worker_3 action',
      'Worker_3 task_completion',
      'Manager_2 child_agent_task_completion',
      'Manager_2 action',
      'Manager_2 task_completion',
      'Orchestrator_1 child_agent_task_completion',
      'Orchestrator_1 action',
      'Orchestrator_1 task_completion',
    ]);
    expect(events.filter(({ event }) => event.endsWith('_request')).map(({ content }) => content)).toEqual([
      'How many sales are there?',
      'go on',
    ]);
    expect(events.find(({ event }) => event === 'action')).toMatchObject({
      title: 'count_rows',
      content: 'count_rows {"table":"Sales"}\n42 rows',
      reasoning: 'Let me see.',
      est_input_token: expect.any(Number),
      created_at: expect.any(Number),
    });
    expect(JSON.parse(String(events[2]?.['reasoning']))).toEqual({ agent_id: 'Manager_2', starting_from: 0 });
  });

  it('know edits, files that were read, tools of servers, agents that go on, help and interruptions', () => {
    const place = (seq: number) => ({ runId: 'r' as never, seq, at: 1_000 * seq });
    const agent = { agentId: 'A_1' as never, turnId: 'A_1.t1' as never };
    const ended = (seq: number, callId: string, name: string, content: unknown, toolset?: string): readonly CadreEvent[] => [
      {
        type: 'tool.request',
        ...agent,
        ...place(seq),
        callId: callId as never,
        name,
        args: {},
        ...(toolset === undefined ? {} : { toolset }),
      },
      { type: 'tool.end', ...agent, ...place(seq + 1), callId: callId as never, status: 'ok', content: content as never, ms: 1 },
    ];
    const start = (seq: number, agentId: string, parent?: string): CadreEvent => ({
      type: 'agent.start',
      ...place(seq),
      agentId: agentId as never,
      profile: 'A',
      profileType: 'agent',
      depth: 0,
      initialParams: {},
      flowId: 'f',
      ...(parent === undefined ? {} : { parentAgentId: parent as never }),
    });
    const end = (seq: number, agentId: string, outcome: string): CadreEvent => ({
      type: 'agent.end',
      ...place(seq),
      agentId: agentId as never,
      outcome,
      output: 'Words.',
      deliverables: {},
    });
    const events: readonly CadreEvent[] = [
      start(1, 'A_1'),
      ...ended(2, 'c1', 'edit_file', 'ok'),
      ...ended(4, 'c2', 'read_file', [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data: '' } }]),
      ...ended(6, 'c3', 'mcp_github_search', 'found'),
      start(8, 'B_2', 'A_1'),
      end(9, 'B_2', 'needs_help'),
      { type: 'agent.restart', ...place(10), agentId: 'B_2' as never, iteration: 2, initialParams: {}, keepsHistory: true },
      end(11, 'B_2', 'limit'),
      { type: 'agent.await', ...place(12), agentId: 'A_1' as never },
      // Outcomes are free words.
      end(13, 'A_1', 'constructor'),
    ];
    expect(told(events, { as: 'anges' }).map(({ event }) => event)).toEqual([
      'edit_file',
      'READ_MIME_FILES',
      'mcp_tool_call',
      'new_child_agent',
      'child_agent_running',
      'agent_requested_help',
      'child_agent_agent_requested_help',
      'resume_child_agent',
      'child_agent_running',
      'task_interrupted',
      'child_agent_task_interrupted',
      'agent_text_response',
      'task_interrupted',
    ]);
  });
});
