import { describe, expect, it } from 'vitest';
import { defineTool, type GivenTool } from '../../src/index.ts';
import { createMemoryJournal, scriptedModel } from '../../src/testing/index.ts';
import { verifyRun } from '../support/verify-run.ts';
import { answers, boss, calls, clerk, engineOver, journalOf, keepingCommits, poet, standing } from './agents.ts';
import {
  agentOf,
  agentsOf,
  call,
  dataOf,
  messagesOf,
  promptOf,
  resultOf,
  say,
  speaks,
  toolsOf,
  turnsOf,
  until,
} from './scenario.ts';
import { finish, refused } from './team.ts';

const yaml = [boss, clerk, poet];

/** Plays a team to its end or to where it waits, and holds the whole run against the invariants. */
async function played(
  models: Parameters<typeof engineOver>[1],
  {
    profiles = yaml,
    limits,
    tools,
  }: { readonly profiles?: readonly string[]; readonly limits?: object; readonly tools?: readonly GivenTool[] } = {},
) {
  const { engine, journal } = await engineOver(profiles, models, createMemoryJournal(), tools === undefined ? {} : { tools });
  const run = await engine.launch({ profile: 'Boss', input: 'Go.' }, limits === undefined ? {} : { limits });
  await run.settled();
  const requests = Object.values(models).flatMap((model) => model.requests);
  const events = await verifyRun(run, journal, { requests });
  return { run, events, engine, journal };
}

describe('[B.63] C3 8 a profile as a tool', () => {
  it('[A1.8.exposable-as-tool] it is offered with its own schema, its arguments reach the agent, whose end is the result', async () => {
    const bossModel = speaks(call('ask_clerk', { question: 'Which tea?' }), 'The clerk says green.');
    const clerkModel = answers({ 'Which tea?': finish('Green.', { tea: 'green' }) });
    const { run } = await played({ boss: bossModel, clerk: clerkModel, poet: speaks() });
    const tool = bossModel.requests[0]?.tools?.find(({ name }) => name === 'ask_clerk');
    expect(tool).toMatchObject({
      description: "Asks the clerk a question. (Belongs to toolset: 'agents')",
      inputSchema: { required: ['question'], properties: { question: { type: 'string' }, agent_id: { type: 'string' } } },
    });
    expect(promptOf(clerkModel.requests[0])).toContain('* **The question:** Which tea?');
    expect(dataOf(run, 'ask_clerk')).toEqual({
      status: 'success',
      profile: 'Clerk',
      agent_id: 'Clerk_2',
      output: 'Green.',
      deliverables: { tea: 'green' },
    });
    expect(run.turns()[0]?.toolInteractions[0]).toMatchObject({ status: 'ok' });
    expect(agentOf(run, 'Clerk').meta).toMatchObject({ parentAgentId: 'Boss_1', depth: 1, callId: expect.any(String) });
    expect(turnsOf(run, 'Clerk')[0]).toMatchObject({
      sourceTurnIds: ['Boss_1.t1', `dispatch_${agentOf(run, 'Clerk').meta.callId}`],
      sourceToolCallId: agentOf(run, 'Clerk').meta.callId,
    });
    expect(run.state.output).toBe('The clerk says green.');
  });

  it('is offered to those alone who name it or its toolset, and its arguments are checked like any tool’s', async () => {
    const wide = boss.replace('allowed_toolsets: [agents, flow_control_end]', "allowed_toolsets: ['*']");
    const named = boss.replace('allowed_toolsets: [agents, flow_control_end]', 'allowed_individual_tools: [ask_clerk]');
    for (const [profile, offered] of [
      [wide, false],
      [named, true],
    ] as const) {
      const model = speaks(call('ask_clerk', { questoin: 'x' }), 'End.');
      const { run } = await played({ boss: model, clerk: speaks(), poet: speaks() }, { profiles: [profile, clerk, poet] });
      expect(toolsOf(model.requests[0]).includes('ask_clerk')).toBe(offered);
      expect(run.turns()[0]?.toolInteractions[0]?.error?.code).toBe(offered ? 'TOOL_ARGUMENTS_INVALID' : 'TOOL_UNKNOWN');
      expect(run.state.agents.size).toBe(1);
    }
  });

  it.each([
    ['success', 'ok', say('Green.'), { output: 'Green.' }],
    ['error', 'error', refused, { error: { message: expect.stringContaining('not today') } }],
    ['limit', 'error', call('finish_flow', { deliverables: 3 }), { error: { code: 'LIMIT_REACHED' } }],
    ['needs_help', 'ok', say('HELP: which of the two?'), { output: 'HELP: which of the two?' }],
    [
      'waiting',
      'ok',
      say('WAIT: green or black?'),
      { output: 'WAIT: green or black?', message: expect.stringContaining('agent_id') },
    ],
  ] as const)('how its agent ends or waits is the status of the call: %s', async (status, ok, reply, more) => {
    const careful = `${clerk}
limits: { max_turns: 2 }
flow_decider:
  - { id: tools, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: help, condition: "turn.reply.startsWith('HELP')", action: { type: end_agent_turn, outcome: needs_help } }
  - { id: wait, condition: "turn.reply.startsWith('WAIT')", action: { type: await_user_input } }
  - { id: end, action: { type: end_agent_turn, outcome: success } }
`;
    const { run } = await played(
      { boss: speaks(call('ask_clerk', { question: 'Which tea?' }), 'End.'), clerk: answers({}, reply), poet: speaks() },
      { profiles: [boss, careful, poet] },
    );
    expect(dataOf(run, 'ask_clerk')).toMatchObject({ status, agent_id: 'Clerk_2', ...more });
    expect(turnsOf(run, 'Boss')[0]?.toolInteractions[0]?.status).toBe(ok);
    expect(run.state.status).toBe('completed');
  });

  it.each([
    ['output', 'Green.'],
    ['deliverables', '{"tea":"green","cups":2}'],
    ['deliverables.cups', '2'],
    ['deliverables.milk', expect.stringContaining('"status":"success"')],
  ])('result: %s gives that part of a success', async (result, content) => {
    const { run } = await played(
      {
        boss: speaks(call('ask_clerk', { question: 'Which tea?' }), 'End.'),
        clerk: answers({}, finish('Green.', { tea: 'green', cups: 2 })),
        poet: speaks(),
      },
      { profiles: [boss, `${clerk}  result: ${result}\n`, poet] },
    );
    expect(resultOf(run, 'ask_clerk')).toEqual(content);
  });

  it('its protocol adds parameters, and what it inherits is in the briefing with the arguments', async () => {
    const protocol = `
protocol_name: brief
context_parameters:
  type: object
  x-handover-title: A question for you
  required: [tone]
  properties: { tone: { type: string, x-handover-title: Tone } }
inheritance:
  - { from_source: { path: run.title }, as_payload_key: about, x-handover-title: About }
target_inbox_item: { source: AGENT_STARTUP_BRIEFING }
`;
    const bossModel = speaks(
      call('ask_clerk', { question: 'Which tea?' }),
      call('ask_clerk', { question: 'Which tea?', tone: 'short' }),
      'End.',
    );
    const clerkModel = answers({});
    const { run } = await played(
      { boss: bossModel, clerk: clerkModel, poet: speaks() },
      { profiles: [boss, `${clerk}  protocol: brief\n`, poet, protocol] },
    );
    expect(resultOf(run, 'ask_clerk')).toContain('tone');
    expect(messagesOf(clerkModel.requests[0])).toEqual([
      'user: ## A question for you\n* **The question:** Which tea?\n* **Tone:** short\n* **About:** Go.',
    ]);
  });
});

describe('[A5.call-child] [B.62] C3 8 agents that go on', () => {
  it('by agent_id: with all they have seen and said, twice, and the caller is told each time', async () => {
    const bossModel = speaks(
      call('ask_clerk', { question: 'Which tea?' }),
      call('ask_clerk', { question: 'How long?', agent_id: 'Clerk_2' }),
      call('ask_clerk', { question: 'How hot?', agent_id: 'Clerk_2' }),
      'End.',
    );
    const clerkModel = answers({ Which: finish('Green.', { tea: 'green' }), long: say('Three minutes.'), hot: say('Eighty.') });
    const { run } = await played({ boss: bossModel, clerk: clerkModel, poet: speaks() });
    expect([0, 1, 2].map((index) => dataOf(run, 'ask_clerk', index)['output'])).toEqual(['Green.', 'Three minutes.', 'Eighty.']);
    // What it hands in belongs to the question it was asked.
    expect(dataOf(run, 'ask_clerk', 1)).not.toHaveProperty('deliverables');
    expect(agentsOf(run, 'Clerk')).toHaveLength(1);
    expect(agentOf(run, 'Clerk')).toMatchObject({ work: { iteration: 3 }, counters: { turnCount: 1 }, history: { archived: [] } });
    expect(messagesOf(clerkModel.requests[2])).toEqual([
      expect.stringContaining('Which tea?'),
      'assistant: (calls finish_flow)',
      'tool: Finished.',
      expect.stringContaining('How long?'),
      'assistant: Three minutes.',
      expect.stringContaining('How hot?'),
    ]);
    const callIds = turnsOf(run, 'Boss').flatMap((turn) => turn.toolInteractions.map(({ callId }) => callId));
    expect(turnsOf(run, 'Clerk').map((turn) => turn.sourceToolCallId)).toEqual(callIds);
    const [piece] = run.why(turnsOf(run, 'Clerk')[2]?.turnId ?? '', 'How long?')[0]?.pieces ?? [];
    expect(piece?.origin).toMatchObject({ kind: 'handover', fromAgentId: 'Boss_1', call: { callId: callIds[1] } });
  });

  it('the result comes from the end of the agent, and that from the call: one chain of causes', async () => {
    const { run } = await played({
      boss: speaks(call('ask_clerk', { question: 'Which tea?' }), 'End.'),
      clerk: answers({}, say('Green.')),
      poet: speaks(),
    });
    const [why] = run.why('Boss_1.t2', 'Green.');
    expect(why?.pieces[0]?.origin).toMatchObject({ kind: 'tool_result', call: { name: 'ask_clerk' } });
    expect(why?.causes.map(({ type, agentId }) => `${type} ${agentId ?? ''}`.trim())).toEqual([
      'inbox.add Boss_1',
      'tool.end Boss_1',
      'agent.end Clerk_2',
      'turn.end Clerk_2',
      'turn.decide Clerk_2',
      'model.end Clerk_2',
      'turn.start Clerk_2',
      'inbox.add Clerk_2',
      'tool.request Boss_1',
      'turn.decide Boss_1',
      'model.end Boss_1',
      'turn.start Boss_1',
      'inbox.add Boss_1',
      'agent.start Boss_1',
      'run.start',
    ]);
  });

  it('[A5.return-types] one that waits for words gets them from its caller, and may be spoken to by a person, too', async () => {
    const chatty = `${clerk}flow_decider:
  - { id: tools, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: wait, action: { type: await_user_input } }
`;
    const clerkModel = answers({ tea: say('Green or black?'), Green: finish('Sencha.'), Person: say('Thank you.') });
    const bossModel = speaks(
      call('ask_clerk', { question: 'Which tea?' }),
      call('ask_clerk', { question: 'Green.', agent_id: 'Clerk_2' }),
      'End.',
    );
    const { run } = await played({ boss: bossModel, clerk: clerkModel, poet: speaks() }, { profiles: [boss, chatty, poet] });
    expect(dataOf(run, 'ask_clerk')).toMatchObject({ status: 'waiting', output: 'Green or black?' });
    expect(dataOf(run, 'ask_clerk', 1)).toMatchObject({ status: 'success', output: 'Sencha.' });
    expect(run.state.status).toBe('completed');
  });

  it('ids of nobody, of others’ agents, of those at work and of other profiles are refused with those that can go on', async () => {
    const nested = `${clerk.replace('allowed_toolsets: [flow_control_end]', 'allowed_toolsets: [flow_control_end, agents]')}callable_profiles: [Poet]\n`;
    const bossModel = speaks(
      call('ask_clerk', { question: 'Which tea?' }),
      call('call_agent', { profile: 'Poet', input: 'x', agent_id: 'Poet_3' }),
      call('ask_clerk', { question: 'x', agent_id: 'Clerk_9' }),
      call('call_agent', { profile: 'Poet', input: 'x', agent_id: 'Clerk_2' }),
      calls('ask_clerk', { question: 'One?', agent_id: 'Clerk_2' }, { question: 'Two?', agent_id: 'Clerk_2' }),
      'End.',
    );
    const clerkModel = answers({ 'Which tea?': call('call_agent', { profile: 'Poet', input: 'A line.' }) });
    const { run } = await played({ boss: bossModel, clerk: clerkModel, poet: answers({}) }, { profiles: [boss, nested, poet] });
    expect(dataOf(run, 'call_agent', 0)).toMatchObject({ status: 'success', agent_id: 'Poet_3' });
    const messages = [
      dataOf(run, 'call_agent', 1),
      dataOf(run, 'ask_clerk', 1),
      dataOf(run, 'call_agent', 2),
      dataOf(run, 'ask_clerk', 3),
    ];
    expect(messages.map(({ status }) => status)).toEqual(['refused', 'refused', 'refused', 'refused']);
    expect(messages.map(({ message }) => message)).toEqual([
      '"Poet_3" is no agent of Poet that you have called; there is none that can go on: leave out agent_id to start a new one.',
      '"Clerk_9" is no agent of Clerk that you have called; those that can go on: Clerk_2 (success); leave out agent_id to start a new one.',
      '"Clerk_2" is no agent of Poet that you have called; there is none that can go on: leave out agent_id to start a new one.',
      'Clerk_2 is at work; wait for its result, and call it then. there is none that can go on: leave out agent_id to start a new one.',
    ]);
    expect(dataOf(run, 'ask_clerk', 2)).toMatchObject({ status: 'success', agent_id: 'Clerk_2' });
  });

  it('resumable: false takes no agent_id, and an agent that was cancelled or hit a limit can go on afresh', async () => {
    const once = `${clerk}  resumable: false\n`;
    const model = speaks(call('ask_clerk', { question: 'x', agent_id: 'Clerk_2' }), 'End.');
    await played({ boss: model, clerk: answers({}), poet: speaks() }, { profiles: [boss, once, poet] });
    expect(JSON.stringify(model.requests[0]?.tools)).not.toContain('"question":{"type":"string"},"agent_id"');
    const looping = `${clerk}limits: { max_turns: 2 }\n`;
    const bossModel = speaks(
      call('ask_clerk', { question: 'loop' }),
      call('ask_clerk', { question: 'Which tea?', agent_id: 'Clerk_2' }),
      'End.',
    );
    const clerkModel = answers({ tea: say('Green.') }, call('finish_flow', { deliverables: 3 }));
    const { run } = await played({ boss: bossModel, clerk: clerkModel, poet: speaks() }, { profiles: [boss, looping, poet] });
    expect(dataOf(run, 'ask_clerk')).toMatchObject({ status: 'limit' });
    expect(dataOf(run, 'ask_clerk', 1)).toMatchObject({ status: 'success', output: 'Green.' });
  });
});

describe('C3 8 many calls, depth and caps', () => {
  it('call_agent is offered with the names of those that may be called, and others are refused by name', async () => {
    const bossModel = speaks(
      call('call_agent', { profile: 'Poet', input: 'A line on tea.', data: { lines: 1 } }),
      call('call_agent', { profile: 'Pote', input: 'x' }),
      'End.',
    );
    const poetModel = answers({}, say('Steam.'));
    const { run } = await played({ boss: bossModel, clerk: speaks(), poet: poetModel });
    const tool = bossModel.requests[0]?.tools?.find(({ name }) => name === 'call_agent');
    expect(tool).toMatchObject({
      description: expect.stringContaining('- Clerk: Answers questions.\n- Poet: Writes a line.'),
      inputSchema: { properties: { profile: { enum: ['Clerk', 'Poet'] } } },
    });
    expect(messagesOf(poetModel.requests[0])).toEqual(['user: ## Agent Briefing\n* **Your task:** A line on tea.\n* **Lines:** 1']);
    expect(dataOf(run, 'call_agent')).toEqual({ status: 'success', profile: 'Poet', agent_id: 'Poet_2', output: 'Steam.' });
    expect(turnsOf(run, 'Boss')[1]?.toolInteractions[0]?.error?.code).toBe('TOOL_ARGUMENTS_INVALID');
    const alone = boss.replace('callable_profiles: [Clerk, Poet]', '');
    const lone = speaks('End.');
    await played({ boss: lone, clerk: speaks(), poet: speaks() }, { profiles: [alone, clerk, poet] });
    expect(toolsOf(lone.requests[0])).toEqual(['finish_flow', 'ask_clerk']);
  });

  it('[A4.1.manager-run] [A4.1.parallel-managers] call_agents runs different agents at the same time, and all reports come back in the order of the calls', async () => {
    const bossModel = speaks(
      call('call_agents', {
        calls: [
          { profile: 'Clerk', input: 'Which tea?' },
          { profile: 'Poet', input: 'fail' },
          { profile: 'Poet', input: 'A line.' },
        ],
      }),
      'End.',
    );
    let together = 0;
    let most = 0;
    const busy = (text: string) => async () => {
      together += 1;
      most = Math.max(most, together);
      await new Promise((resolve) => setImmediate(resolve));
      together -= 1;
      return say(text);
    };
    const { run } = await played({
      boss: bossModel,
      clerk: answers({}, busy('Green.')),
      poet: answers({ fail: refused }, busy('Steam.')),
    });
    expect(most).toBe(2);
    expect(dataOf(run, 'call_agents')).toMatchObject({
      status: 'partial',
      message: '2 of 3 calls came to a result.',
      reports: [
        { status: 'success', profile: 'Clerk', output: 'Green.' },
        { status: 'error', profile: 'Poet' },
        { status: 'success', profile: 'Poet', output: 'Steam.' },
      ],
    });
    expect(turnsOf(run, 'Boss')[0]?.toolInteractions[0]?.status).toBe('ok');
  });

  it.each([
    ['parallel', 3],
    ['serial', 1],
  ])('several calls in one reply: %s, at most %i at work', async (concurrency, atOnce) => {
    let together = 0;
    let most = 0;
    const clerkModel = answers({}, async () => {
      together += 1;
      most = Math.max(most, together);
      await new Promise((resolve) => setTimeout(resolve, 2));
      together -= 1;
      return say('Green.');
    });
    const { run } = await played(
      {
        boss: speaks(calls('ask_clerk', { question: '1' }, { question: '2' }, { question: '3' }), 'End.'),
        clerk: clerkModel,
        poet: speaks(),
      },
      { profiles: [boss, `${clerk}  concurrency: ${concurrency}\n`, poet] },
    );
    expect(most).toBe(atOnce);
    expect(turnsOf(run, 'Boss')[0]?.toolInteractions.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok']);
  });

  it('beyond max_live agents are held until one has ended; beyond max_children they are refused', async () => {
    const capped = `${boss}limits: { max_live: 3, max_children: 4 }\n`;
    const { run } = await played(
      {
        boss: speaks(calls('ask_clerk', ...['1', '2', '3', '4', '5'].map((question) => ({ question }))), 'End.'),
        clerk: answers({}, say('Green.')),
        poet: speaks(),
      },
      { profiles: [capped, clerk, poet] },
    );
    const statuses = [0, 1, 2, 3, 4].map((index) => dataOf(run, 'ask_clerk', index)['status']);
    expect(statuses).toEqual(['success', 'success', 'success', 'success', 'refused']);
    expect(resultOf(run, 'ask_clerk', 4)).toContain('limit maxChildren');
  });

  it('held agents whose slot goes to one that only waits are given up, and not held for ever', async () => {
    const capped = `${boss}limits: { max_live: 2 }\n`;
    const chatty = `${clerk}flow_decider: [{ id: wait, action: { type: await_user_input } }]\n`;
    const { run } = await played(
      { boss: speaks(calls('ask_clerk', { question: '1' }, { question: '2' }), 'End.'), clerk: answers({}), poet: speaks() },
      { profiles: [capped, chatty, poet] },
    );
    expect(dataOf(run, 'ask_clerk', 0)).toMatchObject({ status: 'waiting' });
    expect(dataOf(run, 'ask_clerk', 1)).toMatchObject({
      status: 'limit',
      error: { message: expect.stringContaining('never started') },
    });
    expect(run.state.status).toBe('completed');
  });

  it('a profile may call itself as deep as max_depth says, then gets a result that says so', async () => {
    const recursive = `
name: Boss
type: associate
llm_config_ref: boss
instructions: You split.
tool_access_policy: { allowed_individual_tools: [split] }
exposable_as_tool: { name: split, description: Splits., max_depth: 3 }
`;
    const model = scriptedModel((request) =>
      messagesOf(request).some((message) => message.startsWith('tool:')) ? say('Done.') : call('split', { input: 'Half of it.' }),
    );
    const { run } = await played({ boss: model }, { profiles: [recursive] });
    expect(standing(run.state)).toEqual({ Boss_1: 'success', Boss_2: 'success', Boss_3: 'success' });
    const deepest = turnsOf(run, 'Boss').find(({ agentId }) => agentId === 'Boss_3');
    expect(String(deepest?.toolInteractions[0]?.content)).toContain(
      '3 agents of Boss stand one above the other here, and 3 may (max_depth)',
    );
  });

  it('[A1.13.context-budget] children draw on the budget of their caller', async () => {
    const poor = `${boss}limits: { max_tokens: 2000 }\n`;
    const { run } = await played(
      {
        boss: speaks(call('ask_clerk', { question: 'Which tea?' }), 'End.'),
        clerk: answers({}, { text: 'Green.', usage: { inputTokens: 3_000, outputTokens: 100 } }),
        poet: speaks(),
      },
      { profiles: [poor, clerk, poet] },
    );
    expect(run.state).toMatchObject({ status: 'failed', outcome: 'limit' });
  });
});

describe('C3 8 next to what else there is', () => {
  it('what an agent read from outside taints its caller: also when the agent only waits, and is quoted', async () => {
    const fetch = defineTool({
      name: 'fetch',
      description: 'Fetches.',
      effect: 'pure',
      trust: 'untrusted',
      execute: () => 'From outside.',
    });
    for (const ending of ['action: { type: await_user_input }', 'action: { type: end_agent_turn, outcome: success }']) {
      const reader = `${clerk.replace('allowed_toolsets: [flow_control_end]', 'allowed_individual_tools: [fetch]')}flow_decider:
  - { id: tools, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: end, ${ending} }
`;
      const guarded = `${boss}tool_gates: [{ id: careful, tools: [call_agent], condition: size(prompt.untrusted) > 0, verdict: deny, message: No. }]\n`;
      const { run } = await played(
        {
          boss: speaks(call('ask_clerk', { question: 'x' }), call('call_agent', { profile: 'Poet', input: 'x' }), 'End.'),
          clerk: speaks(call('fetch'), 'It says: from outside.'),
          poet: speaks(),
        },
        { profiles: [guarded, reader, poet], tools: [fetch] },
      );
      expect(turnsOf(run, 'Boss')[1]?.toolInteractions[0]).toMatchObject({
        status: 'denied',
        content: expect.stringContaining('No.'),
      });
    }
  });

  it('a gate may ask a person before an agent goes to work', async () => {
    const asking = `${boss}tool_gates: [{ id: may_i, tools: [ask_clerk], verdict: ask }]\n`;
    const { engine, journal } = await engineOver([asking, clerk, poet], {
      boss: speaks(calls('ask_clerk', { question: '1' }, { question: '2' }), 'End.'),
      clerk: answers({}, say('Green.')),
      poet: speaks(),
    });
    const run = await engine.launch({ profile: 'Boss', input: 'Go.' });
    await run.settled();
    expect(run.state.agents.size).toBe(1);
    const [first, second] = run.pending;
    await run.approve(first?.id ?? '');
    await run.reject(second?.id ?? '', { message: 'One is enough.' });
    await run.settled();
    expect(turnsOf(run, 'Boss')[0]?.toolInteractions.map(({ status }) => status)).toEqual(['ok', 'denied']);
    await verifyRun(run, journal);
  });

  it('an agent with a window goes on within it, and its prompts are spans of what it has seen', async () => {
    const narrow = `${clerk}context_policy: { window: 3 }\n`;
    const clerkModel = answers({ one: say('First.'), two: say('Second.'), three: say('Third.') });
    const { run } = await played(
      {
        boss: speaks(
          call('ask_clerk', { question: 'one' }),
          call('ask_clerk', { question: 'two', agent_id: 'Clerk_2' }),
          call('ask_clerk', { question: 'three', agent_id: 'Clerk_2' }),
          'End.',
        ),
        clerk: clerkModel,
        poet: speaks(),
      },
      { profiles: [boss, narrow, poet] },
    );
    expect(dataOf(run, 'ask_clerk', 2)).toMatchObject({ output: 'Third.' });
    expect(messagesOf(clerkModel.requests[2]).filter((message) => message.includes('First.'))).toEqual([]);
    expect(promptOf(clerkModel.requests[2])).toContain('three');
  });

  it('agents that call each other in turn are bounded by the depth of either', async () => {
    const ping = `
name: Boss
type: associate
llm_config_ref: boss
instructions: Ping.
callable_profiles: [Pong]
tool_access_policy: { allowed_individual_tools: [call_agent] }
`;
    const pong = ping.replace('name: Boss', 'name: Pong').replace('[Pong]', '[Boss]');
    const model = scriptedModel((request) => {
      const whose = JSON.stringify(request.tools).includes('Pong') ? 'Pong' : 'Boss';
      return messagesOf(request).some((message) => message.startsWith('tool:'))
        ? say('Done.')
        : call('call_agent', { profile: whose, input: 'Back.' });
    });
    const { run } = await played({ boss: model }, { profiles: [ping, pong], limits: { maxDepth: 20 } });
    expect(Object.values(standing(run.state))).toEqual(Array.from({ length: 6 }, () => 'success'));
  });

  it('a person may speak to an agent whose call was answered; nobody else is told', async () => {
    const chatty = `${clerk}flow_decider: [{ id: wait, action: { type: await_user_input } }]\n`;
    const waitingBoss = `${boss}flow_decider:
  - { id: tools, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: wait, action: { type: await_user_input } }
`;
    const clerkModel = answers({ Person: say('Thank you.') }, say('Green or black?'));
    const { engine, journal } = await engineOver([waitingBoss, chatty, poet], {
      boss: speaks(call('ask_clerk', { question: 'x' }), 'Waiting.'),
      clerk: clerkModel,
      poet: speaks(),
    });
    const run = await engine.launch({ profile: 'Boss', input: 'Go.' });
    await run.settled();
    await run.send('Person here.', { to: 'Clerk_2' });
    await run.settled();
    expect(agentOf(run, 'Clerk')).toMatchObject({ status: 'awaiting_input', turn: { lastReply: 'Thank you.' } });
    expect(turnsOf(run, 'Boss')).toHaveLength(2);
    await verifyRun(run, journal);
  });
});

describe('C3 8 ends from outside', () => {
  it('I9: cancelling the agent answers the call, cancelling the caller ends the agent', async () => {
    const models = () => ({
      boss: speaks(call('ask_clerk', { question: 'Which tea?' }), 'End.'),
      clerk: answers({}, { hang: true }),
      poet: speaks(),
    });
    const first = models();
    const { engine, journal } = await engineOver(yaml, first);
    const run = await engine.launch({ profile: 'Boss', input: 'Go.' });
    await until(() => first.clerk.requests.length === 1);
    await run.cancel('not needed', { agentId: agentOf(run, 'Clerk').meta.agentId });
    await run.settled();
    expect(dataOf(run, 'ask_clerk')).toMatchObject({ status: 'cancelled', agent_id: 'Clerk_2' });
    expect(standing(run.state)).toEqual({ Boss_1: 'success', Clerk_2: 'cancelled' });
    await verifyRun(run, journal);
    const second = models();
    const other = await engineOver(yaml, second);
    const whole = await other.engine.launch({ profile: 'Boss', input: 'Go.' });
    await until(() => second.clerk.requests.length === 1);
    await whole.cancel('stop');
    expect(standing(whole.state)).toEqual({ Boss_1: 'cancelled', Clerk_2: 'cancelled' });
    await verifyRun(whole, other.journal);
  });

  it('a run that is left at any commit and taken up again ends as if nothing had happened: each call answered once', async () => {
    const models = () => ({
      boss: answers(
        {
          'Go.': calls('ask_clerk', { question: 'Which tea?' }, { question: 'Which cup?' }),
          '"Clerk_2"': call('call_agent', { profile: 'Clerk', input: 'How hot?', agent_id: 'Clerk_2' }),
        },
        say('End.'),
      ),
      clerk: answers({ tea: finish('Green.'), cup: say('Blue.'), hot: say('Eighty.') }),
      poet: speaks(),
    });
    const { journal, commits } = keepingCommits();
    const { engine } = await engineOver(yaml, models(), journal);
    const run = await engine.launch({ profile: 'Boss', input: 'Go.' });
    await run.result;
    await verifyRun(run, journal);
    const end = { Boss_1: 'success', Clerk_2: 'success', Clerk_3: 'success' };
    expect(standing(run.state)).toEqual(end);
    expect(commits.length).toBeGreaterThan(8);
    for (let kept = 1; kept < commits.length; kept += 1) {
      const left = await journalOf(commits.slice(0, kept));
      const next = await engineOver(yaml, models(), left);
      const resumed = await next.engine.resume(run.id);
      const { status, output } = await resumed.result;
      expect({ kept, status, output, agents: standing(resumed.state) }).toEqual({
        kept,
        status: 'completed',
        output: 'End.',
        agents: end,
      });
      await verifyRun(resumed, left);
      await next.engine.close();
    }
  });
});
