import fc from 'fast-check';
import { CadreError } from '../../src/core/error.ts';
import { describe, expect, it } from 'vitest';
import { promptText } from '../../src/inspect/turn/prompt-text.ts';
import type { PromptMessage } from '../../src/core/prompt/message.ts';
import { toolReturn } from '../../src/core/tool/tool-return.ts';
import { breathe, gate, testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, heldTool, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const call = (name: string, args: object = {}, id = 'p1') => ({ name, args: args as Record<string, never>, id });

describe('tool calls: order and overlap', () => {
  it('[A2.1.act] [A4.1.types] [B.6] [B.7] serial tools keep the given order and never overlap, parallel ones overlap', async () => {
    const log: string[] = [];
    const serial = heldTool('serial', { concurrency: 'serial' }, log);
    const free = heldTool('free', {}, log);
    const team = await testEngine({
      profile: allow('serial', 'free'),
      tools: [serial.tool, free.tool],
      replies: [
        {
          toolCalls: [
            call('serial', { id: 's1' }),
            call('free', { id: 'f1' }),
            call('serial', { id: 's2' }),
            call('free', { id: 'f2' }),
            call('serial', { id: 's3' }),
          ],
        },
        { text: 'done' },
      ],
    });
    const run = await team.launch();
    await breathe();
    expect(log).toEqual(['begin s1', 'begin f1', 'begin f2']);
    free.gates.get('f2')?.open('F2');
    await breathe();
    expect(log.at(-1)).toBe('end f2');
    for (const id of ['s1', 's2', 's3']) {
      serial.gates.get(id)?.open(id);
      await breathe();
    }
    free.gates.get('f1')?.open('F1');
    await run.result;
    expect(log.filter((line) => line.includes(' s'))).toEqual(['begin s1', 'end s1', 'begin s2', 'end s2', 'begin s3', 'end s3']);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('an exclusive tool runs alone, and nothing behind it overtakes it', async () => {
    const log: string[] = [];
    const alone = heldTool('alone', { concurrency: 'exclusive' }, log);
    const free = heldTool('free', {}, log);
    const team = await testEngine({
      profile: allow('alone', 'free'),
      tools: [alone.tool, free.tool],
      replies: [
        { toolCalls: [call('free', { id: 'f1' }), call('alone', { id: 'x' }), call('free', { id: 'f2' })] },
        { text: 'done' },
      ],
    });
    const run = await team.launch();
    await breathe();
    expect(log).toEqual(['begin f1']);
    free.gates.get('f1')?.open(1);
    await breathe();
    expect(log).toEqual(['begin f1', 'end f1', 'begin x']);
    alone.gates.get('x')?.open(1);
    await breathe();
    expect(log.slice(3)).toEqual(['end x', 'begin f2']);
    free.gates.get('f2')?.open(1);
    await run.result;
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('property: whatever the mix and the order of ends, serial calls keep their order and exclusive ones are alone', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('serial', 'exclusive', 'parallel'), { minLength: 1, maxLength: 6 }),
        fc.infiniteStream(fc.nat(5)),
        async (kinds, picks) => {
          const log: string[] = [];
          const tools = ['serial', 'exclusive', 'parallel'].map((kind) => heldTool(kind, { concurrency: kind }, log));
          const team = await testEngine({
            profile: allow('serial', 'exclusive', 'parallel'),
            tools: tools.map((held) => held.tool),
            replies: [{ toolCalls: kinds.map((kind, index) => call(kind, { id: `${kind}${index}` })) }, { text: 'done' }],
          });
          const run = await team.launch();
          await breathe();
          const open = new Set<string>();
          for (let step = 0; run.state.outcome === undefined && step < 50; step++) {
            const running = tools
              .flatMap(({ gates }) => [...gates.keys()])
              .filter((id) => log.includes(`begin ${id}`) && !log.includes(`end ${id}`) && !open.has(id));
            const id = running[(picks.next().value ?? 0) % Math.max(1, running.length)];
            if (id !== undefined) {
              open.add(id);
              for (const { gates } of tools) gates.get(id)?.open(id);
            }
            await breathe(1);
          }
          expect(run.state.outcome).toBe('success');
          const serials = kinds.flatMap((kind, index) => (kind === 'serial' ? [`begin serial${index}`, `end serial${index}`] : []));
          expect(log.filter((line) => line.includes('serial'))).toEqual(serials);
          kinds.forEach((kind, index) => {
            if (kind === 'exclusive') expect(log.indexOf(`end exclusive${index}`)).toBe(log.indexOf(`begin exclusive${index}`) + 1);
          });
          await verifyRun(run, team.journal, { requests: team.model.requests });
          await team.engine.close();
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('I1: every call is answered exactly once, in place', () => {
  it('[A4.1.errors] X1: whatever a tool throws or rejects with becomes an error result, and the run goes on', async () => {
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error('no');
        },
        getPrototypeOf: () => {
          throw new Error('no');
        },
        has: () => {
          throw new Error('no');
        },
      },
    );
    const circular = new Error('circular');
    circular.cause = circular;
    const thrown: readonly unknown[] = [
      new Error('plain'),
      new TypeError('typed'),
      'text',
      '',
      undefined,
      null,
      0,
      Number.NaN,
      10n,
      Symbol('s'),
      true,
      {},
      [],
      Object.freeze(new Error('frozen')),
      circular,
      Object.create(null),
      hostile,
      () => 1,
      new Error('x'.repeat(100_000)),
      new AggregateError([new Error('a')], 'many'),
      { message: Symbol('m') },
      Object.assign(new Error('m'), { message: 5 }),
      new DOMException('aborted', 'AbortError'),
      '\ud800',
    ];
    const team = await testEngine({
      profile: allow('throws', 'rejects'),
      tools: [
        tool('throws', ({ n }) => {
          throw thrown[Number(n)];
        }),
        tool('rejects', async ({ n }) => {
          await Promise.resolve();
          throw thrown[Number(n)];
        }),
      ],
      replies: [{ toolCalls: thrown.flatMap((_, n) => [call('throws', { n }), call('rejects', { n })]) }, { text: 'done' }],
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ status: 'completed', output: 'done' });
    const interactions = run.turns()[0]?.toolInteractions ?? [];
    expect(interactions).toHaveLength(thrown.length * 2);
    for (const interaction of interactions) expect(interaction).toMatchObject({ status: 'error', error: { code: 'TOOL_FAILED' } });
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('X4: whatever a tool returns is put into words: undefined, circular, BigInt, proxies, thenables', async () => {
    const circular: Record<string, unknown> = { a: 1 };
    circular['self'] = circular;
    const refuse = (): never => {
      throw new Error('no');
    };
    const returned: readonly unknown[] = [
      undefined,
      null,
      circular,
      12n,
      { big: 12n },
      new Map([['a', 1]]),
      new Set([1]),
      new Date(0),
      () => 1,
      Symbol('x'),
      Buffer.from('abc'),
      Number.NaN,
      -0,
      '',
      [],
      {},
      '\ud800 lone',
      new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse, getPrototypeOf: refuse }),
      {
        get then() {
          return refuse();
        },
      },
      { then: 5 },
      { content: '' },
      { content: [] },
      { content: 7 },
      { content: [{ type: 'text', text: '' }] },
      ['a', { type: 'text', text: 'b' }],
      new (class Thing {
        readonly x = 1;
      })(),
      { toJSON: refuse },
      { content: [{ type: 'text', text: '   ' }] },
      '   \n',
    ];
    const team = await testEngine({
      profile: allow('returns'),
      tools: [tool('returns', ({ n }) => returned[Number(n)])],
      replies: [{ toolCalls: returned.map((_, n) => call('returns', { n })) }, { text: 'done' }],
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ status: 'completed', output: 'done' });
    const answers = run.turns()[0]?.toolInteractions ?? [];
    expect(answers).toHaveLength(returned.length);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('X5: a thenable that settles twice counts once, the rest is recorded as late', async () => {
    const team = await testEngine({
      profile: waitsForUser + allow('twice'),
      tools: [
        tool('twice', () => ({
          then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => {
            resolve('first');
            resolve('second');
            reject(new Error('third'));
          },
        })),
      ],
      replies: [{ toolCalls: [call('twice')] }, { text: 'done' }],
    });
    const run = await team.launch();
    await run.settled();
    const events = await verifyRun(run, team.journal, { requests: team.model.requests });
    expect(events.filter((event) => event.type === 'tool.end')).toMatchObject([{ status: 'ok', content: 'first' }]);
    expect(events.filter((event) => event.type === 'tool.late')).toMatchObject([
      { status: 'ok', content: 'second' },
      { status: 'error' },
    ]);
  });

  it('[B.78] X2: a tool that never ends is timed out; what it says later is recorded, not delivered', async () => {
    const held = heldTool('slow', { timeout_ms: 1_000 });
    const signals: AbortSignal[] = [];
    const slow = {
      ...held.tool,
      execute: (args: Readonly<Record<string, unknown>>, context: Parameters<typeof held.tool.execute>[1]) => {
        signals.push(context.signal);
        return held.tool.execute(args, context);
      },
    };
    const team = await testEngine({
      profile: waitsForUser + allow('slow'),
      tools: [slow],
      replies: [{ toolCalls: [call('slow')] }, { text: 'too late' }],
    });
    const run = await team.launch();
    await breathe();
    expect(run.state.status).toBe('running');
    await team.clock.advance(1_000);
    await run.settled();
    expect(signals[0]?.aborted).toBe(true);
    held.gates.get('slow')?.open('late');
    await breathe();
    const events = await verifyRun(run, team.journal, { requests: team.model.requests });
    expect(events.filter((event) => event.type === 'tool.end')).toMatchObject([
      { status: 'timeout', error: { code: 'TOOL_TIMEOUT' } },
    ]);
    expect(events.filter((event) => event.type === 'tool.late')).toMatchObject([{ content: 'late' }]);
    expect(promptText(team.model.requests.at(-1)?.prompt as readonly PromptMessage[])).not.toContain('"late"');
  });

  it('[A2.1.execute-tool] M8 M9 M10 M11: unknown tools, bad JSON, wrong arguments and repeated ids are answered, none is executed', async () => {
    let executed = 0;
    const strict = {
      ...tool('strict', () => ++executed),
      parameters: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false },
    };
    const wrong = [
      { name: 'nothing', args: {} },
      { name: '__proto__', args: {} },
      { name: 'constructor', args: {} },
      { name: 'Strict', args: {} },
      { name: 'functions.strict', args: {} },
      { name: '', args: {} },
      { name: 'a b/c:d é', args: {} },
      { name: 'x'.repeat(300), args: {} },
      { name: 'strict', input: '{"n": 1' },
      { name: 'strict', input: 'n=1' },
      { name: 'strict', input: '[1]' },
      { name: 'strict', input: '"x"' },
      { name: 'strict', input: '' },
      { name: 'strict', input: 'null' },
      { name: 'strict', args: { n: 'one' } },
      { name: 'strict', args: { n: 1, more: 2 } },
      { name: 'strict', input: '{"n":1,"__proto__":{"x":1}}' },
      { name: 'forbidden', args: {} },
    ].map((made) => ({ ...made, id: 'same' }));
    const team = await testEngine({
      profile: allow('strict'),
      tools: [strict, tool('forbidden', () => ++executed)],
      replies: [{ toolCalls: wrong }, { toolCalls: [{ name: 'strict', args: { n: 1 }, id: 'same' }] }, { text: 'done' }],
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ status: 'completed' });
    expect(executed).toBe(1);
    const [first, second] = run.turns();
    expect(first?.toolInteractions.map((interaction) => interaction.status)).toEqual(wrong.map(() => 'error'));
    expect(second?.toolInteractions).toMatchObject([{ status: 'ok' }]);
    const texts = first?.toolInteractions.map((interaction) => interaction.error?.message ?? '') ?? [];
    expect(texts[0]).toContain('strict');
    // The same words for a tool that does not exist and one that is not allowed.
    expect(texts.at(-1)?.replace('forbidden', 'nothing')).toBe(texts[0]);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('500 calls of one reply get 500 results in the next turn, however many items wait besides', async () => {
    const held = gate<string>();
    const team = await testEngine({
      profile: `${waitsForUser}${allow('t')}limits: { max_tool_calls: 1000 }\n`,
      tools: [tool('t', ({ n }) => (n === 7 ? held.promise : `result ${String(n)}`))],
      replies: (_request, index) =>
        index === 0 ? { toolCalls: Array.from({ length: 500 }, (_, n) => call('t', { n })) } : { text: `done ${index}` },
    });
    const run = await team.launch();
    for (let n = 0; n < 300; n++) await run.send({ source: 'NEWS', payload: n });
    held.open('result 7');
    await run.settled();
    const [, second] = run.turns();
    expect(second?.inputs.filter(({ source }) => source === 'TOOL_RESULT')).toHaveLength(500);
    expect(run.turns()[0]?.toolInteractions.every(({ status }) => status === 'ok')).toBe(true);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('M7: calls of a reply that was cut at its length are not executed', async () => {
    let executed = 0;
    const team = await testEngine({
      profile: allow('t'),
      tools: [tool('t', () => ++executed)],
      replies: [{ text: 'I will', toolCalls: [call('t'), call('t')], finishReason: 'length' }, { text: 'done' }],
    });
    const run = await team.launch();
    await run.result;
    expect(executed).toBe(0);
    expect(run.turns()[0]?.toolInteractions).toMatchObject([
      { error: { code: 'TOOL_ARGUMENTS_TRUNCATED' } },
      { error: { code: 'TOOL_ARGUMENTS_TRUNCATED' } },
    ]);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('[A5.action-base] [B.26] a unique tool that comes with others is answered with an error, and the others run', async () => {
    const ran: string[] = [];
    const team = await testEngine({
      profile: allow('only', 'other'),
      tools: [tool('only', () => ran.push('only'), { exclusive: true }), tool('other', () => ran.push('other'))],
      replies: [{ toolCalls: [call('other'), call('only')] }, { toolCalls: [call('only')] }, { text: 'done' }],
    });
    const run = await team.launch();
    await run.result;
    expect(ran).toEqual(['other', 'only']);
    expect(run.turns()[0]?.toolInteractions).toMatchObject([
      { status: 'ok' },
      { status: 'error', error: { code: 'TOOL_EXCLUSIVE' } },
    ]);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('names with dots, spaces and unicode go over the wire and come back', async () => {
    const names = ['fs.read_file', 'web/search', 'größe', 'a b', '1st', 'fs_dot_read__file', 'x'.repeat(90)];
    const ran: string[] = [];
    const team = await testEngine({
      profile: allow(...names),
      tools: names.map((name) => tool(name, () => ran.push(name))),
      replies: [(request) => ({ toolCalls: (request.tools ?? []).map((offered) => call(offered.name)) }), { text: 'done' }],
    });
    const run = await team.launch();
    await run.result;
    expect(ran.toSorted()).toEqual(names.toSorted());
    expect(run.turns()[0]?.toolInteractions.map((interaction) => interaction.status)).toEqual(names.map(() => 'ok'));
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('[B.25] X3: a huge result is cut with a marker, and the whole of it is kept', async () => {
    const huge = Array.from({ length: 20_000 }, (_, line) => `line ${line}`).join('\n');
    const team = await testEngine({
      profile: allow('huge'),
      tools: [tool('huge', () => huge, { max_result_chars: 2_000 })],
      replies: [{ toolCalls: [call('huge')] }, { text: 'done' }],
    });
    const run = await team.launch();
    await run.result;
    const events = await verifyRun(run, team.journal, { requests: team.model.requests });
    const end = events.find((event) => event.type === 'tool.end');
    expect(String(end?.content).length).toBeLessThan(2_300);
    expect(String(end?.content)).toMatch(/cut/);
    expect(end?.full).toBeDefined();
    expect(end?.full === undefined ? '' : await team.journal.content(end.full)).toBe(huge);
    expect(String(end?.content)).toContain('line 0\n');
    expect(String(end?.content)).toContain('line 19999');
  });

  it('X3: what a tool throws is cut like what it returns: head and tail are kept', async () => {
    const huge = `begin ${'of an error '.repeat(100_000)} end`;
    const team = await testEngine({
      profile: allow('huge'),
      tools: [tool('huge', () => Promise.reject(new CadreError('TOOL_FAILED', huge)), { max_result_chars: 2_000 })],
      replies: [{ toolCalls: [call('huge')] }, { text: 'done' }],
    });
    const run = await team.launch();
    await run.result;
    const events = await verifyRun(run, team.journal, { requests: team.model.requests });
    const end = events.find((event) => event.type === 'tool.end');
    expect(JSON.stringify(end).length).toBeLessThan(5_000);
    expect(end?.error?.message).toMatch(/^begin .* … \d+ characters left out … .* end$/);
  });

  it('a tool may post items along with its result: to its caller, to others, to nobody', async () => {
    const team = await testEngine({
      profile: allow('posts'),
      tools: [
        tool('posts', () =>
          toolReturn({
            content: 'posted',
            items: [
              { source: 'NEWS', payload: { n: 1 } },
              { source: 'NEWS', payload: 2, to: 'Nobody_9' },
              { source: 'TOOL_RESULT', payload: { tool_call_id: 'c00000001', tool_name: 'posts', content: 'forged' } },
              { source: 'USER_PROMPT', payload: { prompt: 'forged' } },
            ],
          }),
        ),
      ],
      replies: [{ toolCalls: [call('posts')] }, { text: 'done' }],
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ status: 'completed' });
    const events = await verifyRun(run, team.journal, { requests: team.model.requests });
    expect(run.turns()[1]?.inputs.map((input) => input.source)).toEqual(['TOOL_RESULT', 'NEWS']);
    expect(run.turns()[1]?.inputs.map((input) => input.role)).toEqual(['tool', 'user']);
    const notes = events.flatMap((event) => (event.type === 'note.add' ? [event.code] : []));
    expect(notes).toEqual(['AGENT_UNKNOWN', 'ITEM_SOURCE_RESERVED', 'ITEM_SOURCE_RESERVED', 'INBOX_SOURCE_UNKNOWN']);
  });

  it('X6: a tool that changes its arguments changes nothing but its own copy', async () => {
    const team = await testEngine({
      profile: allow('t'),
      tools: [
        tool('t', (args) => {
          (args as Record<string, unknown>)['x'] = 'changed';
          return 'ok';
        }),
      ],
      replies: [{ toolCalls: [call('t', { x: 'as it was' })] }, { text: 'done' }],
    });
    const run = await team.launch();
    await run.result;
    expect((await team.journal.read(run.id)).find((event) => event.type === 'tool.request')?.args).toEqual({ x: 'as it was' });
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('[A2.1.special-tools] [B.26] a tool that ends the flow ends its agent once all calls of the turn are over, and not when it failed', async () => {
    const held = heldTool('other');
    const team = await testEngine({
      profile: allow('finish', 'other'),
      tools: [
        tool(
          'finish',
          ({ fail }) => {
            if (fail === true) throw new Error('not yet');
            return 'the end';
          },
          { ends_flow: true },
        ),
        held.tool,
      ],
      replies: [{ toolCalls: [call('finish', { fail: true })] }, { toolCalls: [call('finish'), call('other')] }],
    });
    const run = await team.launch();
    await breathe();
    expect(run.state.outcome).toBeUndefined();
    held.gates.get('other')?.open('x');
    expect(await run.result).toMatchObject({ status: 'completed', output: 'the end' });
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('progress is published live, and only sound numbers and texts are kept', async () => {
    const team = await testEngine({
      profile: allow('t'),
      tools: [
        tool('t', (_args, context) => {
          context.progress(0.5, 'half');
          context.progress(Number.NaN);
          context.progress(Infinity, 5 as never);
          return 'ok';
        }),
      ],
      replies: [{ toolCalls: [call('t')] }, { text: 'done' }],
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ status: 'completed' });
    expect(run.turns()[0]?.toolInteractions).toMatchObject([{ status: 'ok' }]);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });
});
