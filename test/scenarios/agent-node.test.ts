import { describe, expect, it } from 'vitest';
import { CadreError, defineTool } from '../../src/index.ts';
import type { CadreEvent } from '../../src/core/events/event.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { journalOf, keepingCommits } from './agents.ts';
import {
  agentOf,
  call,
  messagesOf,
  openEngine,
  play,
  promptOf,
  say,
  speaks,
  storePath,
  systemOf,
  toolsOf,
  until,
} from './scenario.ts';

const worker = `
name: Worker
type: associate
llm_config_ref: m
instructions: "You are {{ meta.agent_id }} in {{ meta.run_id }}."
tool_access_policy: { allowed_individual_tools: [echo] }
`;

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  effect: 'pure',
  execute: ({ text }) => `echo ${String(text)}`,
});

async function eventsOf(run: AsyncIterable<CadreEvent>): Promise<readonly CadreEvent[]> {
  const events = [];
  for await (const event of run) events.push(event);
  return events;
}

describe('[B.1] A1.1 agent node lifecycle', () => {
  it('[A2.1.update-memory] what is said to a model comes in messages by role, and no item can take a role it must not have', async () => {
    const model = speaks(call('echo', { text: 'x' }), 'Done.');
    await play({ yaml: [worker], models: { m: model }, tools: [echo] });
    expect(model.requests[1]?.prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    for (const role of ['system', 'assistant', 'robot']) {
      const yaml = `${worker}inbox_handling_strategies: [{ source: X, params: { role: ${role} } }]\n`;
      await expect(openEngine({ yaml: [yaml], models: { m: model }, tools: [echo] })).rejects.toMatchObject({
        code: 'PROFILE_INVALID',
      });
    }
  });

  it('[A1.1.construction] an agent knows its id, parent, profile and start time, and its model retries by its LLM config', async () => {
    const model = scriptedModel([{ error: { status: 503 } }, say('Done.')]);
    const config = `
name: patient
type: llm_config
config: { model: m, max_retries: 1, wait_seconds_on_retry: 0.001 }
`;
    const run = await play({
      yaml: [worker.replace('llm_config_ref: m', 'llm_config_ref: patient'), config],
      models: { m: model },
      tools: [echo],
    });
    const agent = agentOf(run, 'Worker');
    expect(agent.meta).toMatchObject({
      agentId: 'Worker_1',
      parentAgentId: undefined,
      profile: 'Worker',
      type: 'associate',
      depth: 0,
    });
    expect(agent.meta.startedAt).toBeGreaterThanOrEqual(run.state.meta.createdAt);
    expect(systemOf(model.requests[1])).toBe(`You are Worker_1 in ${run.id}.`);
    expect(run.turns()[0]?.attempts).toHaveLength(2);
  });

  it('[A1.1.profile-lookup] [B.29] a run starts by profile name; an unknown or disabled one fails at once and names what there is', async () => {
    const engine = await openEngine({
      yaml: [worker, worker.replace('name: Worker', 'name: Retired\nis_active: false')],
      models: { m: speaks() },
      tools: [echo],
    });
    await expect(engine.launch({ profile: 'Workr', input: 'x' })).rejects.toThrow(/no profile 'Workr'; .*there are: .*Worker/);
    await expect(engine.launch({ profile: 'Retired', input: 'x' })).rejects.toMatchObject({ code: 'PROFILE_DISABLED' });
    await expect(engine.launch({ profile: 'Retired', input: 'x' })).rejects.toBeInstanceOf(CadreError);
  });

  it('F22: no run starts with a profile of type base, which others inherit from', async () => {
    const engine = await openEngine({
      yaml: [worker, worker.replace(/name: Worker/, 'name: Base').replace(/type: \w+/, 'type: base')],
      models: { m: speaks() },
      tools: [echo],
    });
    await expect(engine.launch({ profile: 'Base', input: 'x' })).rejects.toMatchObject({
      code: 'PROFILE_DISABLED',
      message: expect.stringMatching(/'Base' is of type base .*other profiles inherit from it.*; there are: Worker$/),
    });
    await expect(engine.launch({ profile: 'Workr', input: 'x' })).rejects.toThrow(/did you mean 'Worker'\? there are: Worker$/);
    expect(await engine.runs()).toEqual([]);
  });

  it('[A1.1.prep-order] dangling calls are answered before observers look, observers run before the inbox is read', async () => {
    const profile = `${worker}
pre_turn_observers:
  - id: look
    condition: inbox.exists(item, item.source == 'USER_PROMPT')
    action:
      type: add_to_inbox
      inbox_item: { source: INTERNAL_DIRECTIVE, payload: { content: "Waiting: {{ size(inbox) }}" } }
`;
    const model = speaks('Done.');
    const run = await play({ yaml: [profile], models: { m: model }, tools: [echo] });
    expect(run.turns()[0]?.inputs.map((input) => input.source)).toEqual(['INTERNAL_DIRECTIVE', 'USER_PROMPT']);
    expect(messagesOf(model.requests[0])).toEqual(['user: Waiting: 1', 'user: Go.']);
    const types = (await eventsOf(run)).map((event) => event.type);
    expect(types.indexOf('inbox.add')).toBeLessThan(types.indexOf('turn.start'));
    expect(types.filter((type) => type === 'turn.start')).toHaveLength(1);
  });

  it('[A1.1.exec] the model call streams, a failing one never throws into the run, and no key is on the record', async () => {
    const deltas: string[] = [];
    const model = scriptedModel([async () => (await Promise.resolve(), say('A reply in pieces.'))]);
    const engine = await openEngine({ yaml: [worker], models: { m: model }, tools: [echo] });
    const run = await engine.launch({ profile: 'Worker', input: 'Go.' });
    run.subscribe({ onDelta: (_agent, _turn, delta) => deltas.push(JSON.stringify(delta)) });
    await run.settled();
    expect(run.turns()[0]?.reply.text).toBe('A reply in pieces.');
    expect(deltas.length).toBeGreaterThan(1);

    const failing = await play({
      yaml: [worker],
      models: { m: scriptedModel([{ error: { status: 401, message: 'wrong key sk-proj-abcdefghijklmnopqrstuvwxyz123456' } }]) },
      tools: [echo],
    });
    expect(failing.state).toMatchObject({ status: 'failed', outcome: 'error' });
    expect(failing.turns()[0]).toMatchObject({ status: 'error', error: { code: expect.stringMatching(/^MODEL_/) } });
    expect(JSON.stringify(await eventsOf(failing))).not.toContain('sk-proj-abc');
  });

  it('[A1.1.post] reply and reasoning are recorded, then post-turn observers run, then the decider, then the turn ends', async () => {
    const profile = `${worker}
post_turn_observers:
  - id: count
    condition: turn.reply == 'Fine.'
    action: { type: update_state, updates: [{ operation: increment, path: flags.fine }] }
flow_decider:
  - { id: seen, condition: flags.fine == 1, action: { type: end_agent_turn, outcome: success } }
  - { id: unseen, action: { type: end_agent_turn, outcome: error } }
`;
    const run = await play({ yaml: [profile], models: { m: scriptedModel([{ text: 'Fine.', reasoning: 'Hm.' }]) }, tools: [echo] });
    const [turn] = run.turns();
    expect(turn).toMatchObject({
      status: 'completed',
      reply: { text: 'Fine.', reasoning: 'Hm.' },
      decision: { action: { ruleId: 'seen' } },
    });
    const order = (await eventsOf(run)).map((event) => event.type);
    expect(order.slice(order.indexOf('turn.start'))).toEqual([
      'turn.start',
      'model.end',
      'state.patch',
      'turn.decide',
      'turn.end',
      'agent.end',
      'run.end',
    ]);
    expect(run.state.outcome).toBe('success');
  });

  it('[A1.1.tool-call-processing] [D1.1] [B.21] all calls of a reply run, each with one result in order; bad ones are answered with what is allowed', async () => {
    const model = scriptedModel([
      {
        toolCalls: [
          { name: 'echo', args: { text: 'a' } },
          { name: 'nothing', args: {} },
          { name: 'echo', input: '[1,2]' },
          { name: 'echo', args: { txt: 'b' } },
          { name: 'echo', args: { text: 'c' } },
        ],
      },
      say('Done.'),
    ]);
    const run = await play({ yaml: [worker], models: { m: model }, tools: [echo] });
    expect(run.turns()[0]?.toolInteractions.map(({ status }) => status)).toEqual(['ok', 'error', 'error', 'error', 'ok']);
    expect(run.turns()[0]?.toolInteractions.map(({ error }) => error?.code)).toEqual([
      undefined,
      'TOOL_UNKNOWN',
      'TOOL_ARGUMENTS_INVALID',
      'TOOL_ARGUMENTS_INVALID',
      undefined,
    ]);
    const results = model.requests[1]?.prompt.at(-1);
    const ids =
      results?.role === 'tool' ? results.content.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : [])) : [];
    expect(ids).toEqual(run.turns()[0]?.toolInteractions.map(({ callId }) => callId));
    expect(promptOf(model.requests[1])).toContain('Tools you can call: echo');
    expect(run.state.outcome).toBe('success');
  });

  it('[A1.1.dangling] [B.20] calls left open when a process died are answered before anything else', async () => {
    const never = defineTool({
      name: 'echo',
      description: 'Never comes back.',
      parameters: { type: 'object', properties: {} },
      execute: async () => await new Promise(() => undefined),
    });
    const model = speaks(call('echo', { text: 'x' }), 'Understood.');
    const store = await storePath();
    const first = await openEngine({ yaml: [worker], models: { m: model }, tools: [never], store, graceMs: 1 });
    const run = await first.launch({ profile: 'Worker', input: 'Go.' });
    await until(() => run.turns().some((turn) => turn.toolInteractions.some(({ status }) => status === 'running')));
    await first.close();
    const second = await openEngine({ yaml: [worker], models: { m: model }, tools: [never], store });
    const resumed = await second.resume(run.id);
    await resumed.settled();
    expect(messagesOf(model.requests[1])[2]).toContain('may or may not have happened');
    expect(resumed.state.outcome).toBe('success');
  });

  it('[A1.1.dangling] a call whose result never reached the inbox gets an error result in its place, before anything else', async () => {
    const { journal, commits } = keepingCommits();
    const model = speaks(call('echo', { text: 'x' }), 'Done.');
    const run = await play({ yaml: [worker], models: { m: model }, tools: [echo], store: journal });
    expect(run.state.outcome).toBe('success');
    // The journal of a process that lost the result between the end of the call and the inbox.
    const at = commits.findIndex(({ events }) => events.some(({ type }) => type === 'tool.end'));
    const last = commits[at];
    if (last === undefined) throw new Error('the call never ended');
    const events = last.events.slice(0, last.events.findIndex(({ type }) => type === 'tool.end') + 1);
    const store = await journalOf([...commits.slice(0, at), { ...last, events }]);
    const again = speaks('I look again.');
    const engine = await openEngine({ yaml: [worker], models: { m: again }, tools: [echo], store });
    const resumed = await engine.resume(run.id);
    await resumed.send('Where do we stand?');
    await resumed.settled();
    expect(messagesOf(again.requests[0]).map((line) => line.split(':')[0])).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(messagesOf(again.requests[0])[2]).toContain('its result was lost');
    expect(resumed.state.outcome).toBe('success');
  });

  it('[A1.1.safenet] results stand directly behind their calls, one each, however many items arrive with them', async () => {
    const profile = `${worker}
pre_turn_observers:
  - { id: note, action: { type: add_to_inbox, inbox_item: { source: INTERNAL_DIRECTIVE, payload: { content: Note. } } } }
`;
    const two = {
      toolCalls: [
        { name: 'echo', id: 'same', args: { text: 'a' } },
        { name: 'echo', id: 'same', args: { text: 'b' } },
      ],
    };
    const model = scriptedModel([two, two, say('Done.')]);
    await play({ yaml: [profile], models: { m: model }, tools: [echo] });
    expect(messagesOf(model.requests[2]).map((line) => line.split(':')[0])).toEqual([
      'user',
      'user',
      'assistant',
      'tool',
      'user',
      'assistant',
      'tool',
      'user',
    ]);
    const ids =
      model.requests[2]?.prompt.flatMap((message) =>
        message.role === 'tool' ? message.content.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : [])) : [],
      ) ?? [];
    // The provider repeated its id; ours are distinct.
    expect(new Set(ids).size).toBe(4);
  });

  it('[A1.1.reasoning] reasoning is kept in the record and not sent back', async () => {
    const model = scriptedModel([{ reasoning: 'Secretly.', toolCalls: [{ name: 'echo', args: { text: 'a' } }] }, say('Done.')]);
    const run = await play({ yaml: [worker], models: { m: model }, tools: [echo] });
    expect(run.turns()[0]?.reply.reasoning).toBe('Secretly.');
    expect(JSON.stringify(model.requests[1]?.prompt)).not.toContain('Secretly.');
  });

  it('[D1.10] a registered tool that the profile may not use is answered with an error, and the flow goes on', async () => {
    const secret = defineTool({
      name: 'secret',
      description: 'x',
      parameters: { type: 'object', properties: {} },
      execute: () => 'ran',
    });
    const model = speaks(call('secret'), 'Then not.');
    const run = await play({ yaml: [worker], models: { m: model }, tools: [echo, secret] });
    expect(toolsOf(model.requests[0])).toEqual(['echo']);
    expect(run.turns()[0]?.toolInteractions[0]).toMatchObject({ status: 'error', error: { code: 'TOOL_UNKNOWN' } });
    expect(run.state.output).toBe('Then not.');
  });

  it('[D1.33] arguments have a place of their own: one called tool_name or type overwrites nothing', async () => {
    const odd = defineTool({
      name: 'odd',
      description: 'x',
      parameters: { type: 'object', properties: { type: { type: 'string' }, tool_name: { type: 'string' } } },
      execute: ({ type, tool_name: name }) => `${String(type)} ${String(name)}`,
    });
    const profile = `${worker.replace('[echo]', '[odd]')}
post_turn_observers:
  - id: keep
    condition: state.current_action
    action: { type: update_state, updates: [{ operation: set, path: flags.action, value: "{{ state.current_action }}" }] }
`;
    const run = await play({
      yaml: [profile],
      models: { m: speaks(call('odd', { type: 'error', tool_name: 'echo' }), 'Done.') },
      tools: [odd],
    });
    expect(run.turns()[0]?.toolInteractions[0]).toMatchObject({ name: 'odd', content: 'error echo' });
    expect(agentOf(run, 'Worker').flags['action']).toMatchObject({
      tool_name: 'odd',
      parameters: { type: 'error', tool_name: 'echo' },
    });
  });

  it('[D1.28] each attempt of a model call sends the same request', async () => {
    const model = scriptedModel([{ error: { status: 500 } }, { error: { status: 500 } }, say('Done.')]);
    const fast = 'name: fast\ntype: llm_config\nconfig: { model: m, max_retries: 2, wait_seconds_on_retry: 0.001 }\n';
    await play({ yaml: [worker.replace('llm_config_ref: m', 'llm_config_ref: fast'), fast], models: { m: model }, tools: [echo] });
    expect(model.requests).toHaveLength(3);
    expect(JSON.stringify(model.requests[2]?.prompt)).toBe(JSON.stringify(model.requests[0]?.prompt));
  });
});
