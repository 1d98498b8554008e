import { describe, expect, it } from 'vitest';
import type { CadreEvent } from '../../src/core/events/event.ts';
import { foldEvents } from '../../src/core/fold/apply-event.ts';
import { defineTransitionTool } from '../../src/tools/define-transition-tool.ts';
import { createMemoryJournal } from '../../src/testing/index.ts';
import type { ScriptedReply } from '../../src/models/scripted/scripted-reply.ts';
import { delegate } from '../support/delegate.ts';
import { gate, testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, type TestTool, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const gates = `
tool_gates:
  - { id: huge, tools: [pay], condition: args.amount > 1000, verdict: deny, message: Too much. }
  - { id: abroad, tools: [pay], condition: "has(args.to) && args.to == 'abroad'", verdict: ask }
  - { id: money, tools: [pay, refund], verdict: ask }
`;
const parameters = {
  type: 'object',
  properties: { amount: { type: 'number' }, to: { type: 'string' } },
  required: ['amount'],
  additionalProperties: false,
};
const pay = (amount: number, to?: string) => ({ name: 'pay', args: to === undefined ? { amount } : { amount, to } });

function paying(replies: readonly ScriptedReply[], options: Parameters<typeof testEngine>[0] = {}) {
  const paid: unknown[] = [];
  const run = (args: unknown): string => {
    paid.push(args);
    return 'done';
  };
  const tools = [tool('pay', run, { parameters }), tool('refund', run, { parameters })];
  const profile = `stagnation: off\n${waitsForUser}${allow('pay', 'refund')}${gates}`;
  return { paid, made: testEngine({ profile, tools, replies, ...options }) };
}

describe('edit and approve', () => {
  it('the call runs once, with the new arguments; both are on record, and the model is told', async () => {
    const { paid, made } = paying([{ toolCalls: [pay(100)] }, { text: 'done' }]);
    const team = await made;
    const run = await team.launch();
    await run.settled();
    const [request] = run.pending;
    expect(request).toMatchObject({ gate: { id: 'money', profile: 'Root' } });
    await run.approve(request?.id ?? '', { args: { amount: 7 } });
    await run.settled();
    expect(paid).toEqual([{ amount: 7 }]);
    const [call] = run.turns()[0]?.toolInteractions ?? [];
    expect(call).toMatchObject({ args: { amount: 100 }, changedArgs: { amount: 7 }, approved: true, status: 'ok' });
    const events = await verifyRun(run, team.journal, { requests: team.model.requests });
    expect(events.find((event) => event.type === 'tool.answer')).toMatchObject({ verdict: 'approved', args: { amount: 7 } });
    expect(JSON.stringify(team.model.requests.at(-1)?.prompt)).toContain('It ran with: {\\"amount\\":7}]');
  });

  it('arguments that do not fit, or that a gate denies, are refused with the reason, and nothing is lost', async () => {
    const { paid, made } = paying([{ toolCalls: [pay(100)] }, { text: 'done' }]);
    const run = await (await made).launch();
    await run.settled();
    const id = run.pending[0]?.id ?? '';
    await expect(run.approve(id, { args: { amount: 'all' } })).rejects.toMatchObject({
      code: 'TOOL_ARGUMENTS_INVALID',
      message: expect.stringMatching(/still waits: \/amount: /) as string,
    });
    await expect(run.approve(id, { args: { amount: 1, extra: 1 } })).rejects.toMatchObject({ code: 'TOOL_ARGUMENTS_INVALID' });
    await expect(run.approve(id, { args: { amount: 5000 } })).rejects.toThrow('still waits: Too much.');
    await expect(run.approve(id, { args: [1] as never })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    expect(run.pending.map((request) => request.id)).toEqual([id]);
    await run.approve(id, { args: { amount: 100 } });
    await run.settled();
    expect(paid).toEqual([{ amount: 100 }]);
    // The same arguments are no change.
    expect(run.turns()[0]?.toolInteractions[0]?.changedArgs).toBeUndefined();
  });

  it('a call that was interrupted runs again with the arguments it was approved with', async () => {
    const store = createMemoryJournal();
    let begun = 0;
    const untilStopped: TestTool['execute'] = (_args, { signal }) => {
      begun++;
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
    };
    const held = tool('pay', untilStopped, { parameters, effect: 'idempotent' });
    const profile = `${waitsForUser}${allow('pay')}${gates.replace('[pay, refund]', '[pay]')}`;
    const first = await testEngine({ profile, tools: [held], replies: [{ toolCalls: [pay(100)] }], store });
    const run = await first.launch();
    await run.settled();
    await run.approve(run.pending[0]?.id ?? '', { args: { amount: 7 } });
    expect(begun).toBe(1);
    await first.engine.close({ graceMs: 0 });
    const paid: unknown[] = [];
    const again = tool('pay', (args) => paid.push(args), { parameters, effect: 'idempotent' });
    const second = await testEngine({ profile, tools: [again], replies: [{ text: 'done' }], store });
    const resumed = await second.engine.resume(run.id);
    await resumed.settled();
    expect(paid).toEqual([{ amount: 7 }]);
    expect(JSON.stringify(second.model.requests.at(-1)?.prompt)).toContain('It ran with: {\\"amount\\":7}]');
    await verifyRun(resumed, store);
  });

  it('two people at once: one wins, the other is told', async () => {
    const { paid, made } = paying([{ toolCalls: [pay(100)] }, { text: 'done' }]);
    const run = await (await made).launch();
    await run.settled();
    const id = run.pending[0]?.id ?? '';
    const both = await Promise.allSettled([run.approve(id, { args: { amount: 1 } }), run.approve(id, { args: { amount: 2 } })]);
    await run.settled();
    expect(paid).toEqual([{ amount: 1 }]);
    expect(both[1]).toMatchObject({ status: 'rejected', reason: { code: 'PENDING_UNKNOWN' } });
    await expect(run.approve(id)).rejects.toThrow(/was approved with other arguments at 20/);
  });
});

describe('approve always', () => {
  it('holds for the tool and the gate that asked, until the run ends; other gates and other tools still ask', async () => {
    const refund = { name: 'refund', args: { amount: 3 } };
    const { paid, made } = paying([
      { toolCalls: [pay(100)] },
      { toolCalls: [pay(200), pay(300, 'abroad'), refund, pay(5000)] },
      { text: 'done' },
      { toolCalls: [pay(3)] },
    ]);
    const team = await made;
    const run = await team.launch();
    await run.settled();
    await run.approve(run.pending[0]?.id ?? '', { always: true });
    await run.settled();
    expect(paid).toEqual([{ amount: 100 }, { amount: 200 }]);
    expect(run.pending.map((request) => [request.tool, request.gate?.id])).toEqual([
      ['pay', 'abroad'],
      ['refund', 'money'],
    ]);
    expect(run.state.standing).toMatchObject([{ profile: 'Root', tool: 'pay', gateId: 'money' }]);
    await run.reject(run.pending.map(({ id }) => id));
    await run.settled();
    const events = await verifyRun(run, team.journal, { requests: team.model.requests });
    const answers = events.filter((event) => event.type === 'tool.answer');
    expect(answers.map(({ verdict, always, standing }) => [verdict, always, standing])).toEqual([
      ['approved', true, undefined],
      ['approved', undefined, answers[0]?.seq],
      ['rejected', undefined, undefined],
      ['rejected', undefined, undefined],
    ]);
    const another = await team.launch();
    await another.settled();
    expect(another.pending).toHaveLength(1);
  });

  it('F65: ends with its run: a fork asks again, also one of a run that was cancelled, and after a restart', async () => {
    const store = createMemoryJournal();
    const first = paying([{ toolCalls: [pay(1)] }, { toolCalls: [pay(2)] }, { text: 'paid' }], { store });
    const team = await first.made;
    const run = await team.launch();
    await run.settled();
    await run.approve(run.pending[0]?.id ?? '', { always: true });
    await run.settled();
    expect(first.paid).toHaveLength(2);
    await run.cancel('enough');
    const second = paying([{ toolCalls: [pay(3)] }, { text: 'done' }], { store });
    const { engine } = await second.made;
    const fork = await engine.fork(run.id, { runId: 'run_fork', message: 'Pay once more.' });
    await fork.settled();
    expect(second.paid).toEqual([]);
    expect(fork.state.standing).toEqual([]);
    expect(fork.pending).toMatchObject([{ tool: 'pay', gate: { id: 'money' } }]);
    const asked = (await store.read(fork.id)).find((event) => event.type === 'run.resume');
    expect(asked?.revoked).toHaveLength(1);
    await engine.close();
    const third = paying([{ text: 'done' }], { store });
    const again = await (await third.made).engine.resume(fork.id);
    await again.settled();
    expect([third.paid, again.pending.length]).toEqual([[], 1]);
    await again.approve(again.pending[0]?.id ?? '', { always: true });
    await again.settled();
    expect(third.paid).toEqual([{ amount: 3 }]);
    expect(again.state.standing).toHaveLength(1);
    await verifyRun(again, store);
  });

  it('F65: what a person agreed to and had not begun is agreed to no more in a fork', async () => {
    const store = createMemoryJournal();
    const stuck = gate<string>();
    const team = await testEngine({
      profile: `stagnation: off\n${waitsForUser}${allow('pay')}\ntool_gates: [{ id: money, tools: [pay], verdict: ask }]`,
      tools: [tool('pay', () => stuck.promise, { parameters, concurrency: 'serial' })],
      replies: [{ toolCalls: [pay(1), pay(2)] }, { text: 'done' }],
      store,
    });
    const run = await team.launch();
    await run.settled();
    await run.approve(run.pending.map(({ id }) => id));
    const events = await store.read(run.id);
    const approved = (read: readonly CadreEvent[]) =>
      [...(foldEvents(read)?.agents.values() ?? [])].flatMap(({ calls: { open: openCalls } }) =>
        [...openCalls.values()].map((call) => call.approved),
      );
    expect(approved(events)).toEqual([true, true]);
    const [start, ...rest] = events;
    const seq = events.length + 1;
    const copied = [
      { ...start, parentRun: { runId: run.id, at: events.length } },
      ...rest,
      { type: 'run.resume', runId: run.id, seq, at: events.at(-1)?.at, engineVersion: '0.1.0', downMs: 0 },
    ] as readonly CadreEvent[];
    expect(approved(copied)).toEqual([false, false]);
    stuck.open('paid');
    await run.settled();
  });

  it('survives a restart', async () => {
    const store = createMemoryJournal();
    const first = paying([{ toolCalls: [pay(1)] }, { toolCalls: [{ name: 'refund', args: { amount: 1 } }] }], { store });
    const run = await (await first.made).launch();
    await run.settled();
    await run.approve(run.pending[0]?.id ?? '', { always: true });
    await run.settled();
    await (await first.made).engine.close();
    const second = paying([{ toolCalls: [pay(2)] }, { text: 'done' }], { store });
    const { engine } = await second.made;
    const resumed = await engine.resume(run.id);
    expect(resumed.state.standing).toHaveLength(1);
    await resumed.approve(resumed.pending[0]?.id ?? '');
    await resumed.settled();
    expect([first.paid, second.paid]).toEqual([[{ amount: 1 }], [{ amount: 1 }, { amount: 2 }]]);
  });
});

describe('several at once', () => {
  it('are approved together, or none of them when one does not wait', async () => {
    const { paid, made } = paying([{ toolCalls: [pay(1), pay(2), pay(3)] }, { text: 'done' }]);
    const run = await (await made).launch();
    await run.settled();
    const ids = run.pending.map(({ id }) => id);
    await expect(run.approve([...ids, 'c99'])).rejects.toThrow(/no approval 'c99' is waiting/);
    await expect(run.approve(ids, { args: { amount: 1 } })).rejects.toThrow(/one by one/);
    expect(run.pending).toHaveLength(3);
    await run.approve(ids);
    await run.settled();
    expect(paid).toEqual([{ amount: 1 }, { amount: 2 }, { amount: 3 }]);
  });

  it('[A4.1.run] an approval three levels down surfaces at the root with the path of agents, and runs there', async () => {
    const ran: string[] = [];
    const team = await testEngine({
      profile: {
        Root: allow('delegate') + waitsForUser,
        Middle: allow('delegate'),
        Leaf: `${allow('pay')}tool_gates:\n  - { id: money, tools: [pay], verdict: ask }\n`,
      },
      tools: [delegate, tool('pay', () => ran.push('pay'))],
      replies: [
        { toolCalls: [{ name: 'delegate', args: { to: 'Middle' } }] },
        { toolCalls: [{ name: 'delegate', args: { to: 'Leaf' } }] },
        { toolCalls: [{ name: 'pay', args: {} }] },
        { text: 'paid' },
        { text: 'so it is' },
        { text: 'done' },
      ],
    });
    const run = await team.launch();
    await run.settled();
    expect(run.pending).toMatchObject([{ path: ['Root_1', 'Middle_2', 'Leaf_3'], tool: 'pay', agentId: 'Leaf_3' }]);
    await run.approve(run.pending[0]?.id ?? '', { always: true });
    await run.settled();
    expect(ran).toEqual(['pay']);
    expect(run.turns().at(-1)?.reply.text).toBe('done');
  });
});

describe('answers', () => {
  const asking = (schema: object) =>
    defineTransitionTool({
      name: 'ask_person',
      description: 'Asks a person.',
      parameters: { type: 'object' },
      run: () => ({ kind: 'suspend', on: { kind: 'question', prompt: 'How many?', schema: schema as never }, memo: null }),
      resume: (_args, _context, happening) => ({ kind: 'result', content: happening.kind === 'answer' ? happening.value : '' }),
    });

  it('must fit the schema of their question; one that does not is refused with the reason, and the question still waits', async () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer', minimum: 1 }, why: { type: 'string' } },
      required: ['n'],
      additionalProperties: false,
    };
    const team = await testEngine({
      profile: allow('ask_person') + waitsForUser,
      tools: [asking(schema)],
      replies: [{ toolCalls: [{ name: 'ask_person', args: {} }] }, { text: 'thanks' }],
    });
    const run = await team.launch();
    await run.settled();
    const id = run.pending[0]?.id ?? '';
    for (const wrong of ['many', 3, {}, { n: 0 }, { n: 1, x: 1 }, null])
      await expect(run.answer(id, wrong)).rejects.toMatchObject({
        code: 'OPTION_INVALID',
        message: expect.stringContaining('the question still waits') as string,
      });
    expect(run.pending).toHaveLength(1);
    await run.answer(id, { n: 2, why: 'two are enough' });
    await run.settled();
    expect(run.turns()[0]?.toolInteractions[0]?.content).toContain('two are enough');
  });
});
