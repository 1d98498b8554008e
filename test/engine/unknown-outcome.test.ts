import { describe, expect, it } from 'vitest';
import type { CadreEvent } from '../../src/core/events/event.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { Ids } from '../../src/core/ids.ts';
import { countingIds, createMemoryJournal, manualClock } from '../../src/testing/index.ts';
import { breathe, testEngine, waitsForUser, type TestEngine } from '../support/test-engine.ts';
import { allow, tool, type TestTool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';
import type { Run, ToolContext } from '../../src/index.ts';

/** What a tool did in one life of the process. */
type Life = readonly TestTool[];

function idsOf(name: string): Ids {
  const ids = countingIds();
  return {
    runId: () => `${name}_${ids.runId()}` as ReturnType<Ids['runId']>,
    itemId: () => `${name}_${ids.itemId()}` as ReturnType<Ids['itemId']>,
  };
}

/** A run whose one call was in the middle when its process ended, taken up again with other tools. */
async function crashed(
  before: Life,
  after: Life,
  options: { readonly profile?: string; readonly args?: JsonObject; readonly today?: string } = {},
): Promise<{ readonly team: TestEngine; readonly run: Run; readonly events: () => Promise<readonly CadreEvent[]> }> {
  const store = createMemoryJournal();
  const clock = manualClock();
  const profile = waitsForUser + allow('t') + (options.profile ?? '');
  const args = options.args ?? { amount: 10 };
  const first = await testEngine({ profile, tools: before, replies: [{ toolCalls: [{ name: 't', args }] }], store, clock });
  const { id } = await first.launch();
  await breathe();
  const closing = first.engine.close();
  await clock.advance(200);
  await closing;
  const team = await testEngine({
    profile: options.today ?? profile,
    tools: after,
    replies: [{ text: 'I see' }],
    store,
    clock,
    ids: idsOf('next'),
  });
  const run = await team.engine.resume(id);
  await breathe();
  return { team, run, events: async () => await store.read(id) };
}

/** What throws when it is looked at. */
const spiteful: object = new Proxy({}, { get: () => JSON.parse('no JSON') as unknown });

const unreachable = (): unknown => JSON.parse('no JSON');

const never = (): Promise<never> => new Promise(() => undefined);

/** Checks the whole run, and that `t` is repeated only where it may be. */
async function checked(team: TestEngine, run: Run, repeatable: readonly string[] = []): Promise<void> {
  await run.settled();
  await verifyRun(run, team.journal, { repeatable: new Set(repeatable) });
  await team.engine.close();
}

/** What the model read as the result of the call. */
function result(run: Run): unknown {
  return run.turns()[0]?.toolInteractions[0]?.content;
}

describe('a verifiable tool that was running', () => {
  const running = [tool('t', never, { effect: 'verifiable', verify: 'look' }), tool('look', () => null, { effect: 'pure' })];

  it('ends with the result that was found, and is not run again', async () => {
    const asked: [unknown, Partial<ToolContext>][] = [];
    const ran: unknown[] = [];
    const { team, run, events } = await crashed(running, [
      tool('t', (args) => void ran.push(args), { effect: 'verifiable', verify: 'look' }),
      tool(
        'look',
        (args, { toolCallId, attempt }) => {
          asked.push([args, { toolCallId, attempt }]);
          return { happened: true, result: { receipt: 7 } };
        },
        { effect: 'pure' },
      ),
    ]);
    await run.settled();
    expect(asked).toEqual([[{ amount: 10 }, { toolCallId: 'c00000001', attempt: 1 }]]);
    expect(ran).toEqual([]);
    expect(run.turns()[0]?.toolInteractions).toMatchObject([{ status: 'ok' }]);
    expect(JSON.stringify(result(run))).toContain('receipt');
    expect((await events()).filter(({ type }) => type === 'tool.verify')).toMatchObject([{ by: 'look', answer: 'happened' }]);
    await checked(team, run);
  });

  it('is run, as the next attempt, when it did not happen', async () => {
    const ran: number[] = [];
    const { team, run } = await crashed(running, [
      tool(
        't',
        (_args, { attempt }) => {
          ran.push(attempt);
          return 'done now';
        },
        { effect: 'verifiable', verify: 'look' },
      ),
      tool('look', () => ({ happened: false }), { effect: 'pure' }),
    ]);
    await run.settled();
    expect(ran).toEqual([2]);
    expect(run.turns()[0]?.toolInteractions).toMatchObject([{ status: 'ok' }]);
    await checked(team, run);
  });

  it.each<readonly [string, () => unknown, string | undefined]>([
    ['answers nothing that can be used', () => ({ happened: 'maybe' }), undefined],
    ['answers null', () => null, undefined],
    ['answers with a getter that throws', () => spiteful, 'TOOL_FAILED'],
    ['throws', unreachable, 'TOOL_FAILED'],
  ])('is of unknown outcome when the tool that finds out %s', async (_what, look, code) => {
    const ran: unknown[] = [];
    const { team, run, events } = await crashed(running, [
      tool('t', (args) => void ran.push(args), { effect: 'verifiable', verify: 'look' }),
      tool('look', look, { effect: 'pure' }),
    ]);
    await run.settled();
    expect(ran).toEqual([]);
    expect(run.turns()[0]?.toolInteractions).toMatchObject([{ status: 'unknown', error: { code: 'TOOL_OUTCOME_UNKNOWN' } }]);
    const asked = (await events()).find(({ type }) => type === 'tool.verify');
    expect(asked).toMatchObject({ answer: 'unknown' });
    expect(asked !== undefined && 'error' in asked ? asked.error?.code : undefined).toBe(code);
    await checked(team, run);
  });

  it('asks again after a crash in the middle of asking', async () => {
    const store = createMemoryJournal();
    const clock = manualClock();
    const profile = waitsForUser + allow('t');
    let runId = '';
    for (const [index, look] of [() => null, never, () => ({ happened: true })].entries()) {
      const t = tool('t', never, { effect: 'verifiable', verify: 'look' });
      const replies = [index === 0 ? { toolCalls: [{ name: 't', args: {} }] } : { text: 'fine' }];
      const team = await testEngine({
        profile,
        tools: [t, tool('look', look, { effect: 'pure' })],
        replies,
        store,
        clock,
        ids: idsOf(`p${index}`),
      });
      const run = index === 0 ? await team.launch() : await team.engine.resume(runId);
      runId = run.id;
      await breathe();
      if (index === 2) {
        expect(run.turns()[0]?.toolInteractions).toMatchObject([{ status: 'ok', attempt: 1 }].map(({ status }) => ({ status })));
        await verifyRun(run, store, { repeatable: new Set() });
      }
      const closing = team.engine.close();
      await clock.advance(200);
      await closing;
    }
  });

  it('must name a pure effect tool that exists', async () => {
    const t = tool('t', never, { effect: 'verifiable', verify: 'look' });
    await expect(testEngine({ tools: [t] })).rejects.toMatchObject({ code: 'TOOL_INVALID' });
    await expect(testEngine({ tools: [t, tool('look', () => null)] })).rejects.toThrow(/must be an effect tool that is pure/);
  });
});

describe('on_unknown', () => {
  const asks = { effect: 'unsafe', on_unknown: 'ask_human' };

  it.each([
    ['happened', [], 'ok'],
    ['not_happened', [2], 'ok'],
    ['unknown', [], 'unknown'],
  ] as const)('ask_human: a person says %s', async (answer, attempts, status) => {
    const ran: number[] = [];
    const t = tool('t', (_args, { attempt }) => void ran.push(attempt), asks);
    const { team, run } = await crashed([tool('t', never, asks)], [t]);
    await run.settled();
    expect(run.state.status).toBe('awaiting');
    expect(run.pending).toMatchObject(
      [{ kind: 'question', tool: 't', args: { amount: 10 }, message: /interrupted while it ran/ }].map(
        ({ message: _, ...rest }) => rest,
      ),
    );
    const id = run.pending[0]?.id ?? '';
    await expect(run.answer(id, 'perhaps')).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await run.answer(id, answer);
    await run.settled();
    expect(ran).toEqual(attempts);
    expect(run.turns()[0]?.toolInteractions).toMatchObject([{ status }]);
    await checked(team, run);
  });

  it('ask_human: the question outlives the next process', async () => {
    const { team, run } = await crashed([tool('t', never, asks)], [tool('t', never, asks)]);
    await run.settled();
    await team.engine.close();
    const next = await testEngine({
      profile: waitsForUser + allow('t'),
      tools: [tool('t', never, asks)],
      replies: [{ text: 'ok' }],
      store: team.journal,
      ids: idsOf('third'),
    });
    const again = await next.engine.resume(run.id);
    await again.answer(again.pending[0]?.id ?? '', 'happened');
    await checked(next, again);
  });

  it('fail: the agent ends with the error, and the run has failed', async () => {
    const t = { effect: 'unsafe', on_unknown: 'fail' };
    const { team, run } = await crashed([tool('t', never, t)], [tool('t', never, t)]);
    expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'TOOL_OUTCOME_UNKNOWN' } });
    await checked(team, run);
  });

  it('tell_model is what happens unless the tool says otherwise', async () => {
    const { team, run } = await crashed([tool('t', never)], [tool('t', never)]);
    await run.settled();
    expect(JSON.stringify(team.model.requests[0]?.prompt)).toMatch(/TOOL_OUTCOME_UNKNOWN.*may or may not have happened/);
    await checked(team, run);
  });
});

describe('K11: tools that are not what they were', () => {
  it('a call that had begun and whose tool is gone is answered: it may have happened, and the tool is missing', async () => {
    const { team, run } = await crashed([tool('t', never)], [tool('other', () => 1)], { today: waitsForUser + allow('other') });
    await run.settled();
    expect(run.turns()[0]?.toolInteractions).toMatchObject([{ status: 'unknown', error: { code: 'TOOL_MISSING' } }]);
    await checked(team, run);
  });

  it('a call that is to be repeated and does not fit any more is answered without being run', async () => {
    const ran: unknown[] = [];
    const strict = {
      ...tool('t', (args) => void ran.push(args), { effect: 'idempotent' }),
      parameters: { type: 'object', properties: { euros: { type: 'number' } }, required: ['euros'] },
    };
    const { team, run } = await crashed([tool('t', never, { effect: 'idempotent' })], [strict]);
    await run.settled();
    expect(ran).toEqual([]);
    expect(run.turns()[0]?.toolInteractions).toMatchObject([{ status: 'error', error: { code: 'TOOL_ARGUMENTS_INVALID' } }]);
    await checked(team, run);
  });

  it('an idempotent tool gets the same call id again', async () => {
    const keys: string[] = [];
    const log = (_args: object, context: ToolContext): Promise<never> => {
      keys.push(context.toolCallId);
      return never();
    };
    const { team, run } = await crashed(
      [tool('t', log, { effect: 'idempotent' })],
      [tool('t', (args, context) => void log(args, context), { effect: 'idempotent' })],
    );
    await run.settled();
    expect(keys).toEqual(['c00000001', 'c00000001']);
    await checked(team, run, ['t']);
  });
});
