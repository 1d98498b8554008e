import { describe, expect, it } from 'vitest';
import type { JsonObject, Run, ToolContext } from '../../src/index.ts';
import { manualClock } from '../../src/testing/index.ts';
import { breathe, gate, testEngine, waitsForUser, type TestEngine } from '../support/test-engine.ts';
import { allow, tool, type TestTool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';
import { seededRandom } from './seeded-random.ts';

const call = (name: string, args: JsonObject = {}) => ({ name, args });

/** A run whose first reply calls the tool `t` once, and whose second one says "done". */
async function runTool(
  execute: TestTool['execute'],
  options: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly team: TestEngine; readonly run: Run }> {
  const team = await testEngine({
    profile: allow('t'),
    tools: [tool('t', execute, options)],
    replies: [{ toolCalls: [call('t', { n: 1, deep: { list: [1] } })] }, { text: 'done' }],
  });
  return { team, run: await team.launch('Hello.') };
}

describe('X2: a tool that hangs', () => {
  it('is stopped after two minutes with nothing configured, told by its signal, and the model is told, too', async () => {
    const signals: AbortSignal[] = [];
    const { team, run } = await runTool((_args, { signal }) => {
      signals.push(signal);
      return new Promise(() => undefined);
    });
    await breathe();
    await team.clock.advance(119_999);
    expect(signals[0]?.aborted).toBe(false);
    await team.clock.advance(1);
    expect(await run.result).toMatchObject({ outcome: 'success', output: 'done' });
    expect(signals[0]?.aborted).toBe(true);
    expect(run.turns()[0]?.toolInteractions).toMatchObject([{ status: 'timeout', error: { code: 'TOOL_TIMEOUT' } }]);
    expect(JSON.stringify(team.model.requests[1]?.prompt)).toContain('TOOL_TIMEOUT');
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('and rejects once it was told to stop, is recorded as late, and answered once', async () => {
    const { team, run } = await runTool(
      (_args, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true })),
      { timeout_ms: 1_000 },
    );
    await breathe();
    await team.clock.advance(1_000);
    await run.result;
    await breathe();
    const events = await team.journal.read(run.id);
    expect(events.filter(({ type }) => type === 'tool.end')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'tool.late').length).toBeLessThanOrEqual(1);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });
});

describe('X3: a tool that returns 50 MB', () => {
  it('is cut for the model, kept whole once under its hash, and leaves the journal small', async () => {
    const text = `head ${'x'.repeat(50_000_000)} tail`;
    const { team, run } = await runTool(() => text);
    expect(await run.result).toMatchObject({ outcome: 'success' });
    const events = await verifyRun(run, team.journal, { requests: team.model.requests });
    expect(JSON.stringify(events).length).toBeLessThan(200_000);
    const end = events.find((event) => event.type === 'tool.end');
    expect(String(end?.content)).toMatch(/^head x+\n… \[\d+ characters cut.*\] …\nx+ tail$/s);
    expect(String(end?.content).length).toBeLessThanOrEqual(33_000);
    expect(end?.full === undefined ? undefined : (await team.journal.content(end.full)) === text).toBe(true);
  });
});

describe('X6: what a tool is shown it cannot change', () => {
  const writes: readonly [string, (context: ToolContext, args: JsonObject) => unknown][] = [
    ['a message more', ({ agent }) => (agent['messages'] as unknown[]).push({ role: 'user', content: 'hacked' })],
    ['another message', ({ agent }) => ((agent['messages'] as unknown[])[0] = { role: 'user', content: 'hacked' })],
    ['the words of a message', ({ agent }) => Object.assign((agent['messages'] as object[])[0] ?? {}, { content: 'hacked' })],
    ['flags', ({ agent }) => Object.assign(agent['flags'] as object, { hacked: 1 })],
    ['its own call', ({ agent }) => Object.assign((agent['current_action'] as JsonObject)['parameters'] as object, { hacked: 1 })],
    ['dead letters', ({ agent }) => (agent['dead_letters'] as unknown[]).push('hacked')],
    ['work modules', ({ team }) => Object.assign(team['work_modules'] as object, { hacked: {} })],
    ['the history of dispatches', ({ team }) => (team['dispatch_history'] as unknown[]).push('hacked')],
    ['counters', ({ agent }) => Object.assign(agent['counters'] as object, { turn_count: 0 })],
    ['the state itself', ({ agent }) => Object.assign(agent, { flags: { hacked: 1 } })],
  ];

  it.each(writes)('%s: the write is an error of the tool, and nothing is changed', async (_what, write) => {
    const { team, run } = await runTool((args, context) => write(context, args as JsonObject));
    expect(await run.result).toMatchObject({ outcome: 'success', output: 'done' });
    expect(run.turns()[0]?.toolInteractions).toMatchObject([{ status: 'error', error: { code: 'TOOL_FAILED' } }]);
    const [before, after] = team.model.requests.map(({ prompt }) => prompt);
    expect(after?.slice(0, before?.length)).toEqual(before);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('arguments are its own copy', async () => {
    const { team, run } = await runTool((args) => {
      Object.assign(args, { hacked: 1 });
      ((args['deep'] as JsonObject)['list'] as unknown[]).push('hacked');
      return 'changed mine';
    });
    await run.result;
    expect(JSON.stringify(await team.journal.read(run.id))).not.toContain('hacked');
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('neither can a function node or a coded observer', async () => {
    const errors: unknown[] = [];
    const tryTo = (write: () => unknown): void => {
      try {
        write();
      } catch (error) {
        errors.push(error);
      }
    };
    const team = await testEngine({
      profile: `function_node: think\npre_turn_observers: [{ id: o, action: { type: call, observer: spy } }]\n`,
      functions: {
        think: ({ messages, state }) => {
          tryTo(() => (messages as unknown[]).push('hacked'));
          tryTo(() => Object.assign(messages[0] ?? {}, { content: 'hacked' }));
          tryTo(() => (state['messages'] as unknown[]).push('hacked'));
          return { text: 'thought' };
        },
      },
      observers: [
        {
          name: 'spy',
          observe: ({ run, agent }) => {
            tryTo(() => agent.history.messages.push({ role: 'user', content: [] }));
            tryTo(() => Object.assign(agent.meta, { depth: 7 }));
            tryTo(() => (run.agents as Map<unknown, unknown>).clear());
            return [];
          },
        },
      ],
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ outcome: 'success', output: 'thought' });
    expect(errors).toHaveLength(6);
    for (const error of errors) expect(error).toBeInstanceOf(TypeError);
    await verifyRun(run, team.journal);
  });
});

describe('X8: a tool that calls back into the engine', () => {
  it('posts to its own run: it is not blocked, and the next turn reads what it posted', async () => {
    const own = gate<Run>();
    const { team, run } = await runTool(async () => {
      const receipt = await (await own.promise).send({ source: 'NEWS', payload: 'from within' });
      return `posted ${receipt.itemId}`;
    });
    own.open(run);
    expect(await run.result).toMatchObject({ outcome: 'success' });
    expect(run.turns()[1]?.inputs.map(({ source }) => source)).toEqual(['TOOL_RESULT', 'NEWS']);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('cancels its own run, and waits for that: the run is cancelled, and nobody waits for ever', async () => {
    const own = gate<Run>();
    const { team, run } = await runTool(async () => {
      await (await own.promise).cancel('enough');
      return 'too late';
    });
    own.open(run);
    await breathe();
    // It waits for the end of what it is itself a part of: the grace period ends that.
    await team.clock.advance(50);
    expect(await run.result).toMatchObject({ status: 'cancelled' });
    await run.settled();
    await breathe();
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('launches another run of its own engine and waits for its result', async () => {
    const engine = gate<TestEngine['engine']>();
    const team = await testEngine({
      profile: { Root: allow('t'), Helper: '' },
      tools: [
        tool('t', async () => {
          const helper = await (await engine.promise).launch({ profile: 'Helper', input: 'Help.' });
          return (await helper.result).output;
        }),
      ],
      replies: ({ prompt }) =>
        JSON.stringify(prompt).includes('Help.') && !JSON.stringify(prompt).includes('Go.')
          ? { text: 'helped' }
          : prompt.length > 2
            ? { text: 'done' }
            : { toolCalls: [call('t')] },
    });
    engine.open(team.engine);
    const run = await team.launch();
    expect(await run.result).toMatchObject({ outcome: 'success', output: 'done' });
    expect(run.turns()[0]?.toolInteractions).toMatchObject([{ status: 'ok', content: 'helped' }]);
    await verifyRun(run, team.journal);
  });

  it('closes its own engine: the run can be resumed, and closing is over after the grace period', async () => {
    const engine = gate<TestEngine['engine']>();
    const { team, run } = await runTool(async () => {
      await (await engine.promise).close();
      return 'closed';
    });
    const result = run.result.catch((error: unknown) => error);
    engine.open(team.engine);
    await breathe();
    for (let hops = 0; hops < 20 && team.clock.nextIn !== undefined; hops += 1) {
      await team.clock.advance(team.clock.nextIn);
      await breathe();
    }
    expect(await result).toMatchObject({ code: 'ENGINE_CLOSED' });
  });
});

describe('M10: names that objects have by nature', () => {
  const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];

  it('are tools like any other when they are registered, with arguments and results of their own', async () => {
    const ran: string[] = [];
    const team = await testEngine({
      profile: allow(...names),
      tools: names.map((name) => tool(name, (args) => ran.push(`${name} ${JSON.stringify(args)}`))),
      replies: [
        (request) => ({ toolCalls: (request.tools ?? []).map(({ name }) => call(name, { by: 'name' })) }),
        { text: 'done' },
      ],
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ outcome: 'success', output: 'done' });
    expect(ran.toSorted()).toEqual(names.map((name) => `${name} {"by":"name"}`).toSorted());
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('are unknown tools when they are not', async () => {
    const team = await testEngine({
      profile: allow('t'),
      tools: [tool('t', () => 'ok')],
      replies: [{ toolCalls: names.map((name) => call(name)) }, { text: 'done' }],
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ outcome: 'success' });
    expect(run.turns()[0]?.toolInteractions.map(({ error }) => error?.code)).toEqual(names.map(() => 'TOOL_UNKNOWN'));
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });
});

/** What JSON.parse makes of a text, as JSON; undefined when that is no object. */
function readObject(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? JSON.stringify(value) : undefined;
  } catch {
    return undefined;
  }
}

describe('M8 M9: arguments', () => {
  const strict = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

  it.each<[string, string, 'runs' | 'refused', object?]>([
    ['duplicate keys: the last one counts, as JSON.parse has it', '{"n": 1, "n": 2}', 'runs', strict],
    ['nothing, for a tool without arguments', '', 'runs'],
    ['null, for a tool without arguments', 'null', 'runs'],
    ['nothing, for a tool that needs some', '', 'refused', strict],
    ['null, for a tool that needs some', 'null', 'refused', strict],
    ['a list', '[1, 2]', 'refused'],
    ['a text', '"rm -rf"', 'refused'],
    ['a number', '7', 'refused'],
    ['a key that leads to prototypes', '{"__proto__": {"n": 1}}', 'refused'],
    ['such a key further down', '{"a": [{"constructor": {"prototype": 1}}]}', 'refused'],
    ['1.5 MB (more is no reply at all)', JSON.stringify({ text: 'x'.repeat(1_500_000) }), 'refused'],
    ['10,000 levels', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, 'refused'],
    ['text after the object', '{"n": 1} and so on', 'refused', strict],
    ['two objects', '{"n": 1}{"n": 2}', 'refused', strict],
    ['single quotes', "{'n': 1}", 'refused', strict],
    ['a comma too many', '{"n": 1,}', 'refused', strict],
  ])('%s', async (_what, input, verdict, parameters = { type: 'object' }) => {
    const seen: unknown[] = [];
    const team = await testEngine({
      profile: allow('t'),
      tools: [tool('t', (args) => seen.push(args), { parameters })],
      replies: [{ toolCalls: [{ name: 't', input }] }, { text: 'done' }],
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ outcome: 'success', output: 'done' });
    const [made] = run.turns()[0]?.toolInteractions ?? [];
    if (verdict === 'runs') expect(seen).toEqual([JSON.parse(input === '' ? '{}' : input) ?? {}]);
    else {
      expect(seen).toEqual([]);
      expect(made?.error?.code).toMatch(/^TOOL_ARGUMENTS_/);
    }
    await verifyRun(run, team.journal);
  });

  it('I16: of 600 spoilt argument texts exactly those run that JSON.parse reads as an object, with what it reads', async () => {
    const random = seededRandom(8);
    const whole = ['{"amount": 10, "to": "Zoë"}', '{"a":{"b":[1,2,{"c":null}]},"d":"x\\n"}', '{"n":-1.5e3,"ok":true,"s":"{}[]"}'];
    const odd = '{}[]",:\\0123456789-.eE \n truefalsn';
    const spoilt = Array.from({ length: 600 }, (_, n) => {
      const text = whole[n % whole.length] ?? '';
      const at = random.below(text.length);
      const insert = n % 2 === 0 ? odd.charAt(random.below(odd.length)) : '';
      return text.slice(0, at) + insert + text.slice(at + random.below(3));
    });
    const ran = new Map<string, string>();
    const team = await testEngine({
      profile: `${allow('t')}limits: { max_tool_calls: 1000 }\n`,
      tools: [tool('t', (args, { toolCallId }) => void ran.set(toolCallId, JSON.stringify(args)))],
      replies: [{ toolCalls: spoilt.map((input) => ({ name: 't', input })) }, { text: 'done' }],
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ outcome: 'success' });
    const made = run.turns()[0]?.reply.toolCalls ?? [];
    expect(made).toHaveLength(600);
    let read = 0;
    for (const { callId, input } of made) {
      const expected = readObject(input);
      if (expected !== undefined) read += 1;
      expect(ran.get(callId), input).toBe(expected);
    }
    expect(read).toBeGreaterThan(50);
    expect(read).toBeLessThan(550);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('M8: a model that writes nothing but bad arguments is bounded by its turns; conditions see the streak', async () => {
    let ran = 0;
    const bad = { toolCalls: [{ name: 't', input: '{"n": one}' }] };
    const replies = Array.from({ length: 60 }, () => bad);
    const limited = await testEngine({ profile: allow('t'), tools: [tool('t', () => (ran += 1))], replies });
    const run = await limited.launch();
    expect(await run.result).toMatchObject({ status: 'failed' });
    expect(limited.model.requests.length).toBeLessThanOrEqual(51);
    const routed = await testEngine({
      profile: `${allow('t')}flow_decider:
  - { id: stop, condition: counters.tool_error_streak >= 3, action: { type: end_agent_turn, outcome: error, error_message: bad arguments } }
  - { id: tools, condition: state.current_action, action: { type: continue_with_tool } }
`,
      tools: [tool('t', () => (ran += 1))],
      replies,
    });
    const second = await routed.launch();
    expect(await second.result).toMatchObject({ outcome: 'error', error: { message: 'bad arguments' } });
    expect(routed.model.requests).toHaveLength(4);
    expect(ran).toBe(0);
  });
});

describe('X7: a tool that lets nothing else run', () => {
  it('is told of once it has come back, and its result counts', async () => {
    const clock = manualClock();
    let busy = 0;
    const busyClock = { ...clock, monotonic: () => clock.monotonic() + busy };
    const team = await testEngine({
      profile: allow('quick', 'slow'),
      tools: [tool('quick', () => (busy += 900)), tool('slow', () => (busy += 3_200))],
      replies: [{ toolCalls: [call('quick'), call('slow')] }, { text: 'done' }],
      clock: busyClock,
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ outcome: 'success' });
    const events = await verifyRun(run, team.journal, { requests: team.model.requests });
    expect(events.filter((event) => event.type === 'note.add')).toMatchObject([
      { code: 'EVENT_LOOP_BLOCKED', message: expect.stringMatching(/'slow'.*3\.2 s/) },
    ]);
  });
});

describe('an agent that waits', () => {
  it('X5: a result that comes after its agent was cancelled is recorded, and wakes nobody', async () => {
    const held = gate<string>();
    const team = await testEngine({
      profile: waitsForUser + allow('t'),
      tools: [tool('t', () => held.promise)],
      replies: [{ toolCalls: [call('t')] }],
    });
    const run = await team.launch();
    await breathe();
    const cancelled = run.cancel('enough');
    await breathe();
    await team.clock.advance(50);
    await cancelled;
    held.open('late');
    await breathe();
    const events = await verifyRun(run, team.journal, { requests: team.model.requests });
    expect(events.filter((event) => event.type === 'tool.late')).toMatchObject([{ content: 'late' }]);
    expect(team.model.requests).toHaveLength(1);
  });
});
