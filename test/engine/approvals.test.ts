import { describe, expect, it } from 'vitest';
import { defineTransitionTool } from '../../src/tools/define-transition-tool.ts';
import { breathe, testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, heldTool, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const ask = defineTransitionTool({
  name: 'ask_person',
  description: 'Asks a person.',
  parameters: { type: 'object', properties: { question: { type: 'string' } } },
  run: (args) => ({
    kind: 'suspend',
    on: { kind: 'question', prompt: String((args as { question?: string }).question), schema: { enum: ['yes', 'no'] } },
    memo: { n: 1 },
  }),
  resume: (_args, _context, happening, memo) => ({
    kind: 'result',
    content: happening.kind === 'answer' ? `${String(happening.value)} ${JSON.stringify(memo)}` : '',
  }),
});

describe('a tool that asks for approval itself', () => {
  it('[A4.4.settings] asks for each call, without a word about it in a profile', async () => {
    const paid: unknown[] = [];
    const team = await testEngine({
      profile: waitsForUser + allow('pay'),
      tools: [tool('pay', () => paid.push('paid'), { needs_approval: true })],
      replies: [{ toolCalls: [{ name: 'pay', args: {} }] }, { text: 'done' }],
    });
    const run = await team.launch();
    await run.settled();
    expect(paid).toEqual([]);
    await run.approve(run.pending[0]?.id ?? '');
    await run.settled();
    expect(paid).toEqual(['paid']);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });
});

describe('[A4.1.run] tool gates', () => {
  const gates = `
tool_gates:
  - { id: small, tools: [pay], condition: args.amount < 10, verdict: allow }
  - { id: broken, tools: [pay], condition: "args.amount == 66 && 1 / (args.amount - 66) > 0", verdict: allow }
  - { id: huge, tools: [pay], condition: args.amount > 1000, verdict: deny, message: Too much. }
  - { id: rest, tools: [pay], verdict: ask, message: Shall it be paid? }
`;
  const pay = (amount: number) => ({ name: 'pay', args: { amount } });

  it('[A4.3.hitl] [A4.4.policy-engine] [B.71] [B.77] E13: allow runs, deny answers, ask waits; approved calls run once with the same arguments, rejected ones never', async () => {
    const paid: unknown[] = [];
    const team = await testEngine({
      profile: waitsForUser + allow('pay') + gates,
      tools: [
        tool('pay', (args) => {
          paid.push(args['amount']);
          return `paid ${String(args['amount'])}`;
        }),
      ],
      replies: [{ toolCalls: [pay(5), pay(5000), pay(100), pay(200), pay(66)] }, { text: 'done' }],
    });
    const run = await team.launch();
    await run.settled();
    expect(run.state.status).toBe('awaiting');
    expect(paid).toEqual([5]);
    const [first, second] = run.pending;
    expect(run.pending.map(({ args }) => args)).toEqual([{ amount: 100 }, { amount: 200 }]);
    await expect(run.approve('nope')).rejects.toMatchObject({ code: 'PENDING_UNKNOWN' });
    await expect(run.answer(first?.id ?? '', 'yes')).rejects.toMatchObject({ code: 'PENDING_UNKNOWN' });
    await Promise.allSettled([run.approve(first?.id ?? ''), run.approve(first?.id ?? ''), run.reject(first?.id ?? '')]);
    await run.reject(second?.id ?? '', { message: 'not this one' });
    await run.settled();
    expect(paid).toEqual([5, 100]);
    await expect(run.approve(first?.id ?? '')).rejects.toMatchObject({ code: 'PENDING_UNKNOWN' });
    expect(run.turns()[0]?.toolInteractions.map(({ status }) => status)).toEqual(['ok', 'denied', 'ok', 'denied', 'denied']);
    expect(run.turns()[0]?.toolInteractions[3]?.error?.message).toBe('not this one');
    const events = await verifyRun(run, team.journal, { requests: team.model.requests });
    expect(events.filter((event) => event.type === 'tool.request').map(({ args }) => args)).toEqual(
      [5, 5000, 100, 200, 66].map((amount) => ({ amount })),
    );
  });

  it('a message is a text over the call; one that cannot be rendered is told as it is written', async () => {
    const team = await testEngine({
      profile: `${waitsForUser}${allow('pay')}
tool_gates:
  - { id: huge, tools: [pay], condition: args.amount > 1000, verdict: deny, message: "{{ args.amount }} is too much." }
  - { id: odd, tools: [pay], condition: args.amount == 7, verdict: ask, message: "Pay {{ 1 / (args.amount - 7) }}?" }
  - { id: rest, tools: [pay], verdict: ask, message: "Shall {{ meta.agent_id }} pay {{ args.amount }}?" }`,
      tools: [tool('pay', () => 'paid')],
      replies: [{ toolCalls: [pay(5000), pay(7), pay(100)] }, { text: 'done' }],
    });
    const run = await team.launch();
    await run.settled();
    expect(run.pending.map(({ message }) => message)).toEqual(['Pay {{ 1 / (args.amount - 7) }}?', 'Shall Root_1 pay 100?']);
    for (const { id } of run.pending) await run.approve(id);
    await run.settled();
    expect(JSON.stringify(team.model.requests.at(-1)?.prompt)).toContain('5000 is too much.');
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('serial calls behind one that waits for approval do not overtake it', async () => {
    const held = heldTool('write', { concurrency: 'serial' });
    const team = await testEngine({
      profile: `${waitsForUser}${allow('write')}\ntool_gates: [{ id: g, tools: [write], condition: args.id == 'a', verdict: ask }]`,
      tools: [held.tool],
      replies: [
        {
          toolCalls: [
            { name: 'write', args: { id: 'a' } },
            { name: 'write', args: { id: 'b' } },
          ],
        },
        { text: 'done' },
      ],
    });
    const run = await team.launch();
    await run.settled();
    expect(held.log).toEqual([]);
    await run.approve(run.pending[0]?.id ?? '');
    await breathe();
    expect(held.log).toEqual(['begin a']);
    held.gates.get('a')?.open(1);
    await breathe();
    held.gates.get('b')?.open(1);
    await run.settled();
    expect(held.log).toEqual(['begin a', 'end a', 'begin b', 'end b']);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });
});

describe('questions', () => {
  it('a question suspends its call, holds up nobody else, and is answered once with one of its choices', async () => {
    const ran: string[] = [];
    const team = await testEngine({
      profile: waitsForUser + allow('ask_person', 't'),
      tools: [ask, tool('t', () => ran.push('t'))],
      replies: [
        {
          toolCalls: [
            { name: 'ask_person', args: { question: 'Sure?' } },
            { name: 't', args: {} },
          ],
        },
        { text: 'done' },
      ],
    });
    const run = await team.launch();
    await run.settled();
    expect(ran).toEqual(['t']);
    expect(run.pending).toMatchObject([{ kind: 'question', message: 'Sure?', path: ['Root_1'], tool: 'ask_person' }]);
    const id = run.pending[0]?.id ?? '';
    await expect(run.answer(id, 'maybe')).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await expect(run.approve(id)).rejects.toMatchObject({ code: 'PENDING_UNKNOWN' });
    await run.send('by the way');
    await run.settled();
    expect(team.model.requests).toHaveLength(1);
    await run.answer(id, 'yes');
    await run.settled();
    expect(run.turns()[0]?.toolInteractions[0]).toMatchObject({ status: 'ok', content: 'yes {"n":1}' });
    expect(run.turns()[1]?.inputs.map(({ source }) => source)).toEqual(['TOOL_RESULT', 'TOOL_RESULT', 'USER_PROMPT']);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('a question that is open when its run is cancelled is answered with the cancellation', async () => {
    const team = await testEngine({
      profile: waitsForUser + allow('ask_person'),
      tools: [ask],
      replies: [{ toolCalls: [{ name: 'ask_person', args: {} }] }],
    });
    const run = await team.launch();
    await run.settled();
    const id = run.pending[0]?.id ?? '';
    await run.cancel('never mind');
    expect(run.pending).toEqual([]);
    await expect(run.answer(id, 'yes')).rejects.toMatchObject({ code: 'PENDING_UNKNOWN' });
    await verifyRun(run, team.journal, {});
  });
});
