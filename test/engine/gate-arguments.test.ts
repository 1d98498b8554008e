import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/index.ts';
import { testEngine, type TestEngineOptions, waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const euros = { type: 'object', properties: { euros: { type: 'number' }, to: { type: 'string' } } };
const money = {
  type: 'object',
  properties: {
    amount: { type: 'number', maximum: 10_000 },
    currency: { enum: ['EUR', 'USD'] },
    items: { type: 'array', items: { $ref: '#/$defs/item' } },
    extra: { type: 'object', additionalProperties: { type: 'string' } },
    payee: { anyOf: [{ type: 'object', properties: { iban: { type: 'string' } } }, { type: 'string' }] },
  },
  $defs: { item: { type: 'object', properties: { price: { type: 'number' } } } },
};
const pay = tool('pay', () => 'paid', { parameters: euros, toolset: 'bank' });
const wire = tool('wire', () => 'wired', { parameters: money, toolset: 'bank' });

const gatesText = (gates: readonly object[]): string =>
  `${waitsForUser}${allow('pay', 'wire')}tool_gates: ${JSON.stringify(gates)}\n`;

/** Returns the warnings of an engine with these gates, or the message of its refusal. */
async function said(gates: readonly object[], options: TestEngineOptions = {}): Promise<string> {
  let engine: Engine;
  try {
    ({ engine } = await testEngine({ profile: gatesText(gates), tools: [pay, wire], ...options }));
  } catch (error) {
    return `refused: ${(error as Error).message}`;
  }
  return engine.warnings.map(({ code, message, hint }) => `${code} ${message} (${hint})`).join('\n');
}

const ask = (condition: string, more: object = { tools: ['wire'] }): readonly object[] => [
  { id: 'g', condition, verdict: 'ask', ...more },
];

describe('F82: conditions over arguments are checked against the tools', () => {
  it.each([
    ["args.currency == 'EUR' && args.euros > 300", { tools: ['pay'] }, '`args.currency`, which `pay` does not have'],
    ['args.amuont > 300', { tools: ['wire'] }, 'did you mean `amount`'],
    ['args.amuont > 300', { toolsets: ['bank'] }, 'which none of the tools it matches has: `pay`, `wire`'],
    ['args.amuont > 300', {}, 'which none of the tools it matches has'],
    ["v['args.items[0].prize'] > 3", { tools: ['wire'] }, '`args.items[0].prize`'],
    ['args.items.exists(i, i.prize > 3)', { tools: ['wire'] }, '`args.items[].prize`'],
    ['has(args.curency)', { tools: ['wire'] }, '`args.curency`'],
    ["'curency' in args", { tools: ['wire'] }, '`args.curency`'],
    ["args['curency'] == 'EUR'", { tools: ['wire'] }, '`args.curency`'],
    ["args.payee.bic == 'X'", { tools: ['wire'] }, '`args.payee.bic`'],
    ["args.extra.note.text == 'X'", { tools: ['wire'] }, '`args.extra.note.text`'],
  ])('%s over %j is refused', async (condition, more, words) => {
    const text = await said(ask(condition, more));
    expect(text).toMatch(/^refused: the profiles have 1 error:\n\S+:\d+:\d+: gate `g` reads/);
    expect(text).toContain(words);
  });

  it.each([
    ["args.payee.iban == 'X' || args.items[0].price > 3 || args.extra.note == 'x'"],
    ["default(args.currency, 'EUR') == 'EUR' && args.amount > 300"],
    ['args.items.filter(i, i.price > 3).exists(i, i.price == 4) || first(args.items).price == 1'],
    ["args.currency in ['EUR', 'USD'] || args.currency == null"],
  ])('%s is fine', async (condition) => {
    expect(await said(ask(condition))).toBe('');
  });

  it('an argument that only some tools have is a warning that names the others', async () => {
    const text = await said(ask("args.currency == 'EUR'", { toolsets: ['bank'] }));
    expect(text).toMatch(/^UNKNOWN_ARGUMENT gate `g` reads `args\.currency`, which `pay` does not have: .*a person is asked/);
    expect(await said(ask('has(args.currency)', { toolsets: ['bank'] }))).toContain('it passes over their calls');
    expect(await said(ask('has(args.currency)'.replace('has', 'has'), { tools: ['*'] }))).toBe('');
  });

  it.each([
    ["args.currency == 'euro'", 'NEVER_TRUE', "never holds: `args.currency` (one of 'EUR', 'USD') is compared with 'euro'"],
    ["args.currency in ['EUR', 'euro']", 'NEVER_TRUE', "'euro'"],
    ["args.amount > '300'", 'CONDITION_FAILS', 'a person is asked'],
    ["args.amount == '300'", 'NEVER_TRUE', "`args.amount` (a number up to 10000) is compared with '300'"],
    ['args.amount > 10000', 'NEVER_TRUE', 'never holds'],
    ['args.items == 3', 'NEVER_TRUE', 'a list'],
    ["args.amount.startsWith('3')", 'CONDITION_FAILS', 'startsWith() which takes a text'.replace('() which', '(), which')],
  ])('%s can never be: %s', async (condition, code, words) => {
    const text = await said(ask(condition));
    expect(text.startsWith(code)).toBe(true);
    expect(text).toContain(words);
  });

  it('a message that quotes an argument that its tool does not have is a warning', async () => {
    const gates = [{ id: 'g', tools: ['pay'], verdict: 'ask', message: 'Pay {{ args.amount }}?' }];
    expect(await said(gates)).toContain('the message of gate `g` quotes `args.amount`, which `pay` does not have');
  });

  it.each([
    [
      [
        { id: 'easy', toolsets: ['bank'], verdict: 'allow' },
        { id: 'careful', tools: ['pay'], verdict: 'ask' },
      ],
      /gate `careful` never decides: `easy` \(\S+:\d+, allow\) matches all these calls before it/,
    ],
    [
      [
        { id: 'easy', toolsets: ['bank'], verdict: 'allow' },
        { id: 'all', verdict: 'deny' },
        { id: 'last', tools: ['pay'], condition: 'args.euros > 3', verdict: 'deny' },
      ],
      /gate `last` never decides/,
    ],
    [
      [
        { id: 'a', tools: ['pay'], condition: 'args.euros > 100', verdict: 'allow' },
        { id: 'b', tools: ['pay'], condition: 'args.euros>300 && meta.depth == 0', verdict: 'ask' },
      ],
      /gate `b` never decides: `a`/,
    ],
    [
      [
        { id: 'a', tools: ['pay'], verdict: 'allow' },
        { id: 'b', tools: ['wire'], verdict: 'ask' },
        { id: 'c', toolsets: ['bank'], verdict: 'deny' },
      ],
      /gate `c` never decides: `a` \(.*\) and `b` \(.*\) match all these calls/,
    ],
    [
      [
        { id: 'a', toolsets: ['bank'], condition: 'meta.depth == 0', verdict: 'allow' },
        { id: 'b', tools: ['pay', 'wire'], condition: 'meta.depth == 0', verdict: 'ask' },
      ],
      /gate `b` never decides/,
    ],
    [
      [
        { id: 'a', tools: ['pay'], verdict: 'allow' },
        { id: 'b', tools: ['wire', 'pay'], verdict: 'ask' },
      ],
      /gate `b` never decides about `pay`/,
    ],
  ])('gates behind one that matches all their calls: %j', async (gates, words) => {
    expect(await said(gates)).toMatch(words);
  });

  it('an exception before a rule, and a stricter condition before a wider one, hide nothing', async () => {
    const gates = [
      { id: 'a', tools: ['pay'], condition: 'args.euros < 10', verdict: 'allow' },
      { id: 'b', tools: ['pay'], condition: 'args.euros < 100', verdict: 'ask' },
      { id: 'c', toolsets: ['bank'], verdict: 'deny' },
    ];
    expect(await said(gates)).toBe('');
  });

  it('strict refuses what would be a warning', async () => {
    const gates = ask("args.currency == 'euro'");
    expect(await said(gates, { strict: true })).toMatch(
      /^refused: the profiles have 1 warning, which strict loading refuses:\n.*\[warning\]/,
    );
    expect(await said(ask("args.currency == 'EUR'"), { strict: true })).toBe('');
  });
});

describe('F82: a gate whose condition fails lets no call run', () => {
  it.each([
    ['ask', { amount: 500 }, 'suspended'],
    ['deny', { amount: 500 }, 'denied'],
    ['allow', { amount: 500 }, 'denied'],
    ['ask', { amount: 500, currency: 'USD' }, 'ok'],
    ['ask', { amount: 5 }, 'ok'],
  ] as const)('%s over %j: %s', async (verdict, args, status) => {
    const team = await testEngine({
      profile: gatesText([{ id: 'g', tools: ['wire'], condition: "args.currency == 'EUR' && args.amount > 300", verdict }]),
      tools: [pay, wire],
      replies: [{ toolCalls: [{ name: 'wire', args }] }, { text: 'done' }],
    });
    const run = await team.launch();
    await run.settled();
    const [call] = run.turns()[0]?.toolInteractions ?? [];
    expect(call?.status).toBe(status);
    const { currency = null } = args as { currency?: string };
    const values = { 'args.currency': currency, 'args.amount': args.amount };
    expect(call?.gates).toMatchObject([{ id: 'g', matched: false, values, declaredAt: { line: expect.any(Number) } }]);
    if (status !== 'ok') {
      expect(call?.gates[0]?.error).toMatchObject({
        code: 'CONDITION_FAILED',
        message: expect.stringContaining('`args.currency` is missing'),
      });
      expect(call?.gates[0]?.verdict).toBe(verdict === 'ask' ? 'ask' : 'deny');
    }
    if (status === 'suspended') {
      expect(run.pending[0]?.message).toMatch(/gate 'g' could not be evaluated .* so a person is asked/);
      await run.approve(run.pending[0]?.id ?? '');
      await run.settled();
      expect(run.turns()[0]?.toolInteractions[0]?.status).toBe('ok');
    }
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });
});

describe('F82: the record has every gate that was asked', () => {
  it('matched, not matched, not asked, and the requirement of the tool itself', async () => {
    const risky = tool('pay', () => 'paid', { parameters: euros, needs_approval: true });
    const team = await testEngine({
      profile: gatesText([
        { id: 'huge', tools: ['pay'], condition: 'args.euros > 1000', verdict: 'deny' },
        { id: 'wires', tools: ['wire'], verdict: 'deny' },
        { id: 'small', tools: ['pay'], condition: 'args.euros < 10', verdict: 'allow' },
        { id: 'named', tools: ['pay'], condition: "args.to == 'Ada'", verdict: 'ask' },
      ]),
      tools: [risky, wire],
      replies: [
        { toolCalls: [5, 50, 5_000].map((amount) => ({ name: 'pay', args: { euros: amount, to: 'Bob' } })) },
        { text: 'done' },
      ],
    });
    const run = await team.launch();
    await run.settled();
    const gatesOf = (index: number): unknown =>
      run.turns()[0]?.toolInteractions[index]?.gates.map(({ id, matched, skipped, values }) => [id, skipped ?? matched, values]);
    expect(gatesOf(0)).toEqual([
      ['huge', false, { 'args.euros': 5 }],
      ['small', true, { 'args.euros': 5 }],
      ['named', true, undefined],
      ['needs_approval', true, undefined],
    ]);
    expect(run.turns()[0]?.toolInteractions[0]?.gates[2]).toMatchObject({ id: 'named', matched: false, skipped: true });
    expect(gatesOf(1)).toEqual([
      ['huge', false, { 'args.euros': 50 }],
      ['small', false, { 'args.euros': 50 }],
      ['named', false, { 'args.to': 'Bob' }],
      ['needs_approval', true, undefined],
    ]);
    expect(run.turns()[0]?.toolInteractions[2]).toMatchObject({
      status: 'denied',
      gates: [{ id: 'huge', matched: true, verdict: 'deny' }, {}, {}, {}],
    });
    // On record once: an approved call that starts is judged by the same gates with the same values.
    await run.approve(run.pending[0]?.id ?? '');
    await run.settled();
    const events = await verifyRun(run, team.journal, { requests: team.model.requests });
    const recorded = events.filter((event) => 'gates' in event && event.gates !== undefined).map(({ type }) => type);
    expect(recorded.toSorted()).toEqual(['tool.end', 'tool.start', 'tool.suspend']);
  });

  it('calls of tools without gates have none, and cost nothing', async () => {
    const team = await testEngine({
      profile: gatesText([{ id: 'g', tools: ['pay'], verdict: 'ask' }]),
      tools: [pay, wire],
      replies: [{ toolCalls: [{ name: 'wire', args: {} }] }, { text: 'done' }],
    });
    const run = await team.launch();
    await run.settled();
    expect(run.turns()[0]?.toolInteractions[0]?.gates).toEqual([]);
    const events = await team.journal.read(run.id);
    expect(events.some((event) => 'gates' in event)).toBe(false);
  });
});

describe('F82: tools that are known once they are connected', () => {
  it('are checked then: the run notes arguments they lack, and their calls ask a person', async () => {
    const served = tool('shop_pay', () => 'paid', { parameters: euros, toolset: 'shop' });
    const team = await testEngine({
      profile: `${waitsForUser}tool_access_policy: { allowed_toolsets: [shop] }\ntool_gates: [{ id: g, toolsets: [shop], condition: "args.currency == 'EUR' && args.euros > 300", verdict: ask }]\n`,
      toolsets: {
        shop: () => ({
          tools: [],
          connect: (host) => {
            host.setTools([served]);
            host.setHealth({ status: 'ready' });
          },
        }),
      },
      replies: [{ toolCalls: [{ name: 'shop_pay', args: { euros: 500 } }] }, { text: 'done' }],
    });
    expect(team.engine.warnings).toEqual([]);
    const run = await team.launch();
    await run.settled();
    const notes = (await team.journal.read(run.id)).flatMap((event) => (event.type === 'note.add' ? [event] : []));
    expect(notes).toMatchObject([
      {
        level: 'warning',
        code: 'UNKNOWN_ARGUMENT',
        message: expect.stringMatching(/^\S+:\d+:\d+: gate `g` reads `args\.currency`, which `shop_pay` does not have/),
      },
    ]);
    expect(run.pending).toMatchObject([{ tool: 'shop_pay', message: expect.stringContaining('`args.currency` is missing') }]);
    await verifyRun(run, team.journal, { requests: team.model.requests });
    await team.engine.close();
  });

  it('a gate over them and over known tools without the argument is a warning at load', async () => {
    const text = await said([{ id: 'g', verdict: 'ask', condition: 'args.amuont > 3' }], {
      profile: `${waitsForUser}tool_access_policy: { allowed_toolsets: [bank, shop] }\ntool_gates: [{ id: g, condition: args.amuont > 3, verdict: ask }]\n`,
      toolsets: { shop: () => ({ tools: [], connect: () => undefined }) },
    });
    expect(text).toMatch(/^UNKNOWN_ARGUMENT .*tools of toolsets that connect are checked when they do/);
  });
});
