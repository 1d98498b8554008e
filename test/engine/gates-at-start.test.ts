import { describe, expect, it } from 'vitest';
import type { EventOf } from '../../src/core/events/event.ts';
import { createMemoryJournal, manualClock } from '../../src/testing/index.ts';
import { defineTransitionTool } from '../../src/tools/define-transition-tool.ts';
import { breathe, testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, heldTool, type TestTool, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const pay = (amount: number, name = 'pay') => ({ name, args: { amount } });
const fivePayments = { toolCalls: [100, 100, 100, 100, 100].map((amount) => pay(amount)) };

/** Pays, and keeps what was spent in the agent's flags, in the commit that decides the call. */
const payAndCount = defineTransitionTool({
  name: 'pay',
  description: 'Pays.',
  parameters: { type: 'object', properties: { amount: { type: 'number' } } },
  concurrency: 'serial',
  run: (args, { agent }) => ({
    kind: 'result',
    content: 'paid',
    events: [
      {
        type: 'state.update',
        scope: 'agent',
        agentId: agent.meta.agentId,
        operation: 'increment',
        path: 'flags.spent',
        value: (args as { amount: number }).amount,
      },
    ],
  }),
});

/** A serial tool that pays outside the commit; its results in the inbox are what was spent. */
function payer(options: Readonly<Record<string, unknown>> = {}): { readonly paid: unknown[]; readonly tool: TestTool } {
  const paid: unknown[] = [];
  const execute: TestTool['execute'] = (args) => {
    paid.push(args['amount']);
    return 'paid';
  };
  return { paid, tool: tool('pay', execute, { concurrency: 'serial', ...options }) };
}

/** Begins to pay, and goes on until it is aborted. */
function untilStopped(options: Readonly<Record<string, unknown>>): { readonly begun: unknown[]; readonly tool: TestTool } {
  const begun: unknown[] = [];
  const execute: TestTool['execute'] = (args, { signal }) => {
    begun.push(args['amount']);
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
  };
  return { begun, tool: tool('pay', execute, options) };
}

const flagsBudget = 'default(flags.spent, 0) + args.amount <= 100';
const inboxBudget = "size(inbox.filter(i, i.source == 'TOOL_RESULT')) * 100 + args.amount <= 100";
const within = (budget: string, otherwise: string): string =>
  `tool_gates:\n  - { id: budget, tools: [pay], condition: "${budget}", verdict: allow }\n  - { id: beyond, tools: [pay], verdict: ${otherwise} }\n`;

describe('F38: gates are judged at every moment at which a call may start', () => {
  it.each([
    ['a tool that decides in the commit', flagsBudget],
    ['a tool that runs outside', inboxBudget],
  ])(
    'five serial calls of 100 under a budget of 100: one runs, the others are denied at their start (%s)',
    async (what, budget) => {
      const outside = payer();
      const isOutside = what.endsWith('outside');
      const team = await testEngine({
        profile: waitsForUser + allow('pay') + within(budget, 'deny, message: The budget is spent.'),
        tools: [isOutside ? outside.tool : payAndCount],
        replies: [fivePayments, { text: 'done' }],
      });
      const run = await team.launch();
      await run.settled();
      expect(run.turns()[0]?.toolInteractions.map(({ status }) => status)).toEqual(['ok', 'denied', 'denied', 'denied', 'denied']);
      expect(run.turns()[0]?.toolInteractions[4]?.error).toEqual({ code: 'TOOL_DENIED', message: 'The budget is spent.' });
      if (isOutside) expect(outside.paid).toEqual([100]);
      await verifyRun(run, team.journal, { requests: team.model.requests });
    },
  );

  it('calls beyond the budget are asked about at their start, in order, and each once', async () => {
    const { paid, tool: paying } = payer();
    const team = await testEngine({
      profile: waitsForUser + allow('pay') + within(inboxBudget, 'ask'),
      tools: [paying],
      replies: [{ toolCalls: [pay(100), pay(40), pay(60)] }, { text: 'done' }],
    });
    const run = await team.launch();
    await run.settled();
    expect(run.pending.map(({ args }) => args)).toEqual([{ amount: 40 }]);
    await run.approve(run.pending[0]?.id ?? '');
    await run.settled();
    expect(run.pending.map(({ args }) => args)).toEqual([{ amount: 60 }]);
    await run.reject(run.pending[0]?.id ?? '');
    await run.settled();
    expect(paid).toEqual([100, 40]);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('a call that a person lets run is denied when a gate denies it by then', async () => {
    const { paid, tool: paying } = payer();
    const gates = `tool_gates:
  - { id: spent, tools: [pay], condition: "!(${inboxBudget})", verdict: deny, message: Nothing is left. }
  - { id: ask, tools: [pay], verdict: ask }
`;
    const team = await testEngine({
      profile: waitsForUser + allow('pay') + gates,
      tools: [paying],
      replies: [{ toolCalls: [pay(100), pay(100)] }, { text: 'done' }],
    });
    const run = await team.launch();
    await run.settled();
    expect(run.pending).toHaveLength(2);
    await run.approve(run.pending.map(({ id }) => id));
    await run.settled();
    expect(paid).toEqual([100]);
    expect(run.turns()[0]?.toolInteractions[1]).toMatchObject({
      status: 'denied',
      error: { code: 'TOOL_DENIED', message: 'Nothing is left.' },
    });
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('a call that an expiry allows is denied when a gate denies it by then', async () => {
    const { paid, tool: paying } = payer();
    const gates = `tool_gates:
  - { id: spent, tools: [pay], condition: "!(${inboxBudget})", verdict: deny }
  - { id: ask, tools: [pay], verdict: ask, expires_after: 30m, on_expire: allow }
`;
    const team = await testEngine({
      profile: waitsForUser + allow('pay') + gates,
      tools: [paying],
      replies: [{ toolCalls: [pay(100), pay(100)] }, { text: 'done' }],
    });
    const run = await team.launch();
    await run.settled();
    await team.clock.advance(30 * 60_000);
    await run.settled();
    expect(paid).toEqual([100]);
    expect(run.turns()[0]?.toolInteractions.map(({ status }) => status)).toEqual(['ok', 'denied']);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('a gate that denies, added by an edit, ends a call that waits for a person, and one that waits for its turn', async () => {
    const held = heldTool('write', { concurrency: 'serial' });
    const team = await testEngine({
      profile: `${waitsForUser}${allow('write', 'pay')}tool_gates: [{ id: money, tools: [pay], verdict: ask }]\n`,
      tools: [held.tool, payer({ concurrency: 'parallel' }).tool],
      replies: [
        { toolCalls: [{ name: 'write', args: { id: 'a' } }, { name: 'write', args: { id: 'b' } }, pay(1)] },
        { text: 'done' },
      ],
    });
    const run = await team.launch();
    await breathe();
    expect(run.pending).toMatchObject([{ tool: 'pay' }]);
    const id = run.pending[0]?.id ?? '';
    await run.updateProfiles([
      { update: 'Root', with: { tool_gates: [{ id: 'none', verdict: 'deny', message: 'Nothing runs any more.' }] } },
    ]);
    expect(run.pending).toEqual([]);
    await expect(run.approve(id)).rejects.toMatchObject({ code: 'PENDING_UNKNOWN', message: expect.stringMatching(/denied/) });
    held.gates.get('a')?.open(1);
    await run.settled();
    expect(held.log).toEqual(['begin a', 'end a']);
    const [, queued, waiting] = run.turns()[0]?.toolInteractions ?? [];
    for (const call of [queued, waiting])
      expect(call).toMatchObject({ status: 'denied', error: { code: 'TOOL_DENIED', message: 'Nothing runs any more.' } });
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('a call that waits for its turn does not run when an edit takes its tool away', async () => {
    const held = heldTool('write', { concurrency: 'serial' });
    const team = await testEngine({
      profile: waitsForUser + allow('write'),
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
    await breathe();
    await run.updateProfiles([{ update: 'Root', with: { tool_access_policy: null } }]);
    held.gates.get('a')?.open(1);
    await run.settled();
    expect(held.log).toEqual(['begin a', 'end a']);
    expect(run.turns()[0]?.toolInteractions[1]).toMatchObject({ status: 'error', error: { code: 'TOOL_MISSING' } });
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it.each([
    ['pure', 'denied', 'TOOL_DENIED'],
    ['idempotent', 'unknown', 'TOOL_OUTCOME_UNKNOWN'],
  ])('an interrupted %s call is not repeated after a restart when a gate denies it by then', async (effect, status, code) => {
    const store = createMemoryJournal();
    const hangs = untilStopped({ effect });
    const first = await testEngine({
      profile: waitsForUser + allow('pay'),
      tools: [hangs.tool],
      replies: [{ toolCalls: [pay(1)] }],
      store,
    });
    const run = await first.launch();
    await breathe();
    await first.engine.close({ graceMs: 0 });
    const { paid, tool: paying } = payer({ effect });
    const second = await testEngine({
      profile: `${waitsForUser}${allow('pay')}tool_gates: [{ id: no, tools: [pay], verdict: deny, message: Not today. }]\n`,
      tools: [paying],
      replies: [{ text: 'done' }],
      store,
    });
    const again = await second.engine.resume(run.id, { profiles: 'current' });
    await again.settled();
    expect([hangs.begun, paid]).toEqual([[1], []]);
    expect(again.turns()[0]?.toolInteractions[0]).toMatchObject({
      status,
      error: { code, message: expect.stringContaining('Not today.') as string },
    });
    await verifyRun(again, store);
  });

  it('an interrupted call is asked about again before it is repeated, and is of unknown outcome when a person refuses that', async () => {
    const store = createMemoryJournal();
    const hangs = untilStopped({ effect: 'idempotent' });
    const first = await testEngine({
      profile: waitsForUser + allow('pay'),
      tools: [hangs.tool],
      replies: [{ toolCalls: [pay(1), pay(2)] }],
      store,
    });
    const run = await first.launch();
    await breathe();
    await first.engine.close({ graceMs: 0 });
    const { paid, tool: paying } = payer({ effect: 'idempotent', concurrency: 'parallel' });
    const second = await testEngine({
      profile: `${waitsForUser}${allow('pay')}tool_gates: [{ id: money, tools: [pay], verdict: ask }]\n`,
      tools: [paying],
      replies: [{ text: 'done' }],
      store,
    });
    const again = await second.engine.resume(run.id, { profiles: 'current' });
    await again.settled();
    expect(again.pending).toHaveLength(2);
    const [one, two] = again.pending.map(({ id }) => id);
    await again.approve(one ?? '');
    await again.reject(two ?? '', { message: 'Once is enough.' });
    await again.settled();
    expect(paid).toEqual([1]);
    expect(again.turns()[0]?.toolInteractions[1]).toMatchObject({
      status: 'unknown',
      error: { code: 'TOOL_OUTCOME_UNKNOWN', message: expect.stringContaining('Once is enough.') as string },
    });
    await verifyRun(again, store);
  });

  it('a call that waited for its turn is judged again in the process that goes on with the run', async () => {
    const store = createMemoryJournal();
    const clock = manualClock();
    const hangs = untilStopped({ concurrency: 'serial' });
    const ask = `tool_gates: [{ id: money, tools: [pay], verdict: ask }]\n`;
    const first = await testEngine({
      profile: waitsForUser + allow('pay') + ask,
      tools: [hangs.tool],
      replies: [{ toolCalls: [pay(1), pay(2)] }],
      store,
      clock,
    });
    const run = await first.launch();
    await run.settled();
    await run.approve(run.pending.map(({ id }) => id));
    await first.engine.close({ graceMs: 0 });
    const { paid, tool: paying } = payer();
    const second = await testEngine({
      profile: `${waitsForUser}${allow('pay')}tool_gates: [{ id: money, tools: [pay], condition: args.amount > 1, verdict: deny }]\n`,
      tools: [paying],
      replies: [{ text: 'done' }],
      store,
      clock,
    });
    const again = await second.engine.resume(run.id, { profiles: 'current' });
    await again.settled();
    expect(paid).toEqual([]);
    expect(again.turns()[0]?.toolInteractions.map(({ status }) => status)).toEqual(['unknown', 'denied']);
    const starts = (await store.read(run.id)).filter((event): event is EventOf<'tool.start'> => event.type === 'tool.start');
    expect(starts).toHaveLength(1);
    await verifyRun(again, store);
  });
});
