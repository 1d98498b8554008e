import { describe, expect, it } from 'vitest';
import { createToolRegistry, defineTool } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { toolReturn } from '../../src/core/tool/tool-return.ts';
import { agentOf, call, dataOf, messagesOf, openEngine, play, promptOf, resultOf, speaks, toolsOf } from './scenario.ts';
import { finish, move, plan, principal, worker, workers } from './team.ts';

const object = { type: 'object', properties: {} };

/** A profile that may use these tools. */
const user = (policy: string, more = ''): string => `
name: User
type: associate
llm_config_ref: m
instructions: You use tools.
tool_access_policy: ${policy}
${more}`;

describe('A1.8 tools', () => {
  it('[A1.8.attributes] name, description, parameters, toolset (its name by default), ends_flow, effect, concurrency and time-out', () => {
    const registry = createToolRegistry([
      defineTool({ name: 'plain', description: 'Plain.', parameters: object, execute: () => 'x' }),
      defineTool({
        name: 'rich',
        description: 'Rich.',
        parameters: object,
        toolset: 'kit',
        ends_flow: true,
        effect: 'pure',
        concurrency: 'serial',
        timeout_ms: 9,
        exclusive: true,
        execute: () => 'x',
      }),
    ]);
    expect(registry.get('plain')).toMatchObject({
      kind: 'effect',
      toolset: 'plain',
      endsFlow: false,
      effect: 'unsafe',
      concurrency: 'parallel',
      timeoutMs: 120_000,
      unique: false,
    });
    expect(registry.get('rich')).toMatchObject({
      toolset: 'kit',
      endsFlow: true,
      effect: 'pure',
      concurrency: 'serial',
      timeoutMs: 9,
      unique: true,
    });
    expect(() => defineTool({ name: '', description: 'x', parameters: object, execute: () => 'x' })).toThrow(/name/);
  });

  it('[A1.8.attributes] ends_flow ends the agent after a success, not after an error; exclusive wants to be alone; serial keeps the order', async () => {
    const order: string[] = [];
    const step = defineTool({
      name: 'step',
      description: 'x',
      parameters: { type: 'object', properties: { n: { type: 'string' }, ms: { type: 'integer' } } },
      concurrency: 'serial',
      execute: async ({ n, ms }) => {
        order.push(`+${String(n)}`);
        await new Promise((resolve) => setTimeout(resolve, Number(ms)));
        order.push(`-${String(n)}`);
        return String(n);
      },
    });
    const submit = defineTool({
      name: 'submit',
      description: 'x',
      parameters: { type: 'object', properties: { ok: { type: 'boolean' } } },
      ends_flow: true,
      exclusive: true,
      execute: ({ ok }) => {
        if (ok !== true) throw new Error('not ready');
        return 'submitted';
      },
    });
    const run = await play({
      yaml: [user('{ allowed_individual_tools: [step, submit] }')],
      models: {
        m: scriptedModel([
          {
            toolCalls: [
              { name: 'step', args: { n: 'a', ms: 4 } },
              { name: 'submit', args: { ok: true } },
            ],
          },
          {
            toolCalls: [
              { name: 'step', args: { n: 'a', ms: 4 } },
              { name: 'step', args: { n: 'b', ms: 0 } },
            ],
          },
          call('submit', { ok: false }),
          call('submit', { ok: true }),
        ]),
      },
      tools: [step, submit],
    });
    expect(order).toEqual(['+a', '-a', '+a', '-a', '+b', '-b']);
    expect(run.turns().map((turn) => turn.toolInteractions.map(({ name, status, error }) => [name, status, error?.code]))).toEqual([
      [
        ['step', 'ok', undefined],
        ['submit', 'error', 'TOOL_EXCLUSIVE'],
      ],
      [
        ['step', 'ok', undefined],
        ['step', 'ok', undefined],
      ],
      [['submit', 'error', 'TOOL_FAILED']],
      [['submit', 'ok', undefined]],
    ]);
    expect(run.state).toMatchObject({ outcome: 'success', output: 'submitted' });
  });

  it('[A1.8.to-the-llm] x-* keywords stay here, the description names the toolset, odd names travel encoded', async () => {
    const tool = defineTool({
      name: 'docs.search v2',
      description: 'Searches.',
      toolset: 'docs',
      parameters: { type: 'object', properties: { q: { type: 'string', 'x-handover-title': 'Query' } }, 'x-secret': true },
      execute: ({ q }) => `found ${String(q)}`,
    });
    const registry = createToolRegistry([tool]);
    const wire = registry.wireName('docs.search v2');
    const model = speaks(call(wire, { q: 'tea' }), 'Done.');
    const run = await play({ yaml: [user('{ allowed_toolsets: [docs] }')], models: { m: model }, tools: [tool] });
    const [offered] = model.requests[0]?.tools ?? [];
    expect(offered).toMatchObject({ name: wire, description: "Searches. (Belongs to toolset: 'docs')" });
    expect(wire).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(registry.fromWire(wire)).toBe('docs.search v2');
    expect(JSON.stringify(offered)).not.toContain('x-');
    expect(run.turns()[0]?.toolInteractions[0]).toMatchObject({ name: 'docs.search v2', status: 'ok', content: 'found tea' });
  });

  it('[A1.8.access] allowed toolsets and single tools, each once; none when none is allowed', async () => {
    const tools = ['a', 'b', 'c', 'd'].map((name) =>
      defineTool({ name, description: name, parameters: object, toolset: name < 'c' ? 'ab' : name, execute: () => name }),
    );
    const some = speaks('ok');
    await play({ yaml: [user('{ allowed_toolsets: [ab], allowed_individual_tools: [b, d] }')], models: { m: some }, tools });
    expect(toolsOf(some.requests[0])).toEqual(['a', 'b', 'd']);
    const none = speaks('ok');
    await play({ yaml: [user('{ allowed_toolsets: [] }')], models: { m: none }, tools });
    expect(toolsOf(none.requests[0])).toEqual([]);
  });

  it('[A1.8.handover-merge] a tool with a protocol takes the protocol’s parameters too, and they are checked', async () => {
    const protocol = `
protocol_name: principal_to_associate_briefing
context_parameters:
  type: object
  required: [deadline]
  properties: { deadline: { type: string, x-handover-title: Until when } }
target_inbox_item: { source: AGENT_STARTUP_BRIEFING }
`;
    const item = {
      module_id_to_assign: 'WM_1',
      agent_profile_logical_name: 'Worker',
      assigned_role_name: 'r',
      assignment_specific_instructions: 'x',
    };
    const boss = speaks(
      plan('one'),
      call('dispatch_submodules', { assignments: [item] }),
      call('dispatch_submodules', { assignments: [{ ...item, deadline: 'noon' }] }),
      finish(),
    );
    const model = workers();
    const run = await play({ yaml: [principal, worker, protocol], models: { principal: boss, worker: model } });
    const offered = boss.requests[0]?.tools?.find((tool) => tool.name === 'dispatch_submodules');
    expect(offered?.type === 'function' ? offered.inputSchema : {}).toMatchObject({
      properties: {
        assignments: {
          items: {
            properties: { deadline: { type: 'string' } },
            required: expect.arrayContaining(['deadline', 'module_id_to_assign']),
          },
        },
      },
    });
    expect(run.turns()[1]?.toolInteractions[0]).toMatchObject({ status: 'error', error: { code: 'TOOL_ARGUMENTS_INVALID' } });
    expect(promptOf(model.requests[0])).toContain('* **Until when:** noon');
  });

  it('[A1.8.base-tool] arguments in, an outcome out, the result in the caller’s inbox, and the action is cleared', async () => {
    const echo = defineTool({
      name: 'echo',
      description: 'x',
      parameters: { type: 'object', properties: { text: { type: 'string' } } },
      trust: 'trusted',
      execute: ({ text }, context) =>
        toolReturn({
          content: `echo ${String(text)}`,
          items: [{ source: 'ECHOED', payload: `by ${context.agentId}` }],
        }),
    });
    const model = speaks(call('echo', { text: 'x' }), 'Done.');
    const run = await play({ yaml: [user('{ allowed_individual_tools: [echo] }')], models: { m: model }, tools: [echo] });
    expect(messagesOf(model.requests[1])).toEqual([
      'user: Go.',
      'assistant: (calls echo)',
      'tool: echo x',
      'user: ### Contextual Information\nby User_1',
    ]);
    expect(run.turns()[1]?.inputs.map((input) => input.source)).toEqual(['TOOL_RESULT', 'ECHOED']);
    expect(agentOf(run, 'User').turn.action).toBeNull();
  });

  it('[A1.7.tool-wiring] after a tool its agent goes on; after one that ends the flow it does not', async () => {
    const echo = defineTool({ name: 'echo', description: 'x', parameters: object, execute: () => 'x' });
    const stop = defineTool({ name: 'stop', description: 'x', parameters: object, ends_flow: true, execute: () => 'stopped' });
    const model = speaks(call('echo'), call('stop'), 'never said');
    const run = await play({
      yaml: [user('{ allowed_individual_tools: [echo, stop] }')],
      models: { m: model },
      tools: [echo, stop],
    });
    expect(model.requests).toHaveLength(2);
    expect(run.state.output).toBe('stopped');
  });
});

describe('A1.8 team tools', () => {
  const solo = [user('{ allowed_toolsets: [flow_control_end, flow_control_summary, reporting_tools, planning_tools] }')];

  it('[A5.task-complete] [A1.8.finish-flow] [D1.8] ends with summary and deliverables; bad deliverables are sent back, good ones accepted', async () => {
    const strict = user(
      '{ allowed_toolsets: [flow_control_end] }',
      'deliverables_schema: { type: object, required: [answer], properties: { answer: { type: integer } } }\n',
    );
    const model = speaks(finish('Here.', { answer: 'four' }), finish('Here.', { answer: 4 }), 'never said');
    const run = await play({ yaml: [strict], models: { m: model } });
    expect(resultOf(run, 'finish_flow')).toMatch(/Your work is not finished: .*\/answer: must be integer/);
    expect(run.turns()[0]?.toolInteractions[0]?.status).toBe('error');
    expect(run.state).toMatchObject({ status: 'completed', outcome: 'success', output: 'Here.', deliverables: { answer: 4 } });
    expect(model.requests).toHaveLength(2);
  });

  it('[D1.8] deliverables that were only written as JSON text are taken from it', async () => {
    const run = await play({ yaml: solo, models: { m: speaks(call('finish_flow', {}, '{"primary_summary": "All is well."}')) } });
    expect(run.state.deliverables).toEqual({ primary_summary: 'All is well.' });
  });

  it('[A1.8.generate-message-summary] returns instructions for the next reply, with the findings', async () => {
    const model = speaks(
      call('generate_message_summary', { current_associate_findings: 'Tea is hot.' }),
      '{"primary_summary": "Hot."}',
    );
    await play({ yaml: solo, models: { m: model } });
    expect(messagesOf(model.requests[1]).at(-1)).toMatch(/Finalization protocol[\s\S]*primary_summary[\s\S]*Tea is hot\./);
  });

  it('[A1.8.generate-markdown-report] [B.41] returns the structure of the report, with the synthesis, and finish_flow as the next step', async () => {
    const model = speaks(call('generate_markdown_report', { principal_final_synthesis: 'Green is best.' }), 'ok');
    await play({ yaml: solo, models: { m: model } });
    const text = messagesOf(model.requests[1]).at(-1) ?? '';
    for (const part of [
      'Key Points',
      'Overview',
      'Detailed Analysis',
      'Conclusion',
      'Key Citations',
      'finish_flow',
      'Green is best.',
    ])
      expect(text).toContain(part);
  });

  it('[A1.8.manage-work-modules] all actions or none, ids in order, a count at the end', async () => {
    const bad = call('manage_work_modules', {
      actions: [
        { action: 'create', name: 'three', description: 'x' },
        { action: 'status_change', module_id: 'WM_9', new_status: 'completed' },
      ],
    });
    const rename = call('manage_work_modules', {
      actions: [{ action: 'update', module_id: 'WM_1', name: 'first', notes_from_principal: 'Hm.' }],
    });
    const run = await play({
      yaml: solo,
      models: { m: speaks(plan('one', 'two'), bad, rename, move('deprecated', 'WM_2'), finish()) },
    });
    expect(dataOf(run, 'manage_work_modules')).toMatchObject({
      modules: [{ module_id: 'WM_1', name: 'one', status: 'pending' }, { module_id: 'WM_2' }],
    });
    expect(resultOf(run, 'manage_work_modules', 1)).toMatch(
      /^Failed on action 1 \(status_change\): .*"WM_9".* No action of this call was carried out\./,
    );
    expect(Object.values(run.state.team.workModules).map(({ name, status }) => [name, status])).toEqual([
      ['first', 'pending'],
      ['two', 'deprecated'],
    ]);
  });

  it('[D1.9] every tool, toolset, profile key and text a profile names must exist when it is loaded', async () => {
    const engine = openEngine({
      yaml: [
        user(
          '{ allowed_toolsets: [flow_control_sumary], allowed_individual_tools: [handover_to_summary] }',
          'available_for_stafing: true\nflow_decider: [{ id: x, action: { type: loop_with_inbox_item, payload: { content_key: gone } } }]\n',
        ),
      ],
      models: { m: speaks() },
    });
    const error = await engine.then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    expect(error?.message).toContain('the profiles have');
    for (const name of [
      'flow_control_sumary',
      'flow_control_summary',
      'handover_to_summary',
      'available_for_stafing',
      'available_for_staffing',
      'gone',
    ])
      expect(error?.message).toContain(name);
    expect(error?.message).toMatch(/profiles\/User\.yaml:\d+:\d+/);
  });

  it('[D1.31] two engines in one process share nothing', async () => {
    const yaml = [user('{}')];
    const [one, two] = await Promise.all([
      play({ yaml, models: { m: speaks('one') } }),
      play({ yaml, models: { m: speaks('two') } }),
    ]);
    expect([one.state.output, two.state.output]).toEqual(['one', 'two']);
    expect(one.id).not.toBe(two.id);
  });
});
