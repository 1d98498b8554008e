import { describe, expect, it } from 'vitest';
import type { ScriptedReply } from '../../src/testing/index.ts';
import { breathe, testEngine, waitsForUser, type TestEngine } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';
import type { Run } from '../../src/index.ts';

/** Lets a manual clock run until the run stands still: waits between attempts, deadlines. */
async function throughTime(team: TestEngine, run: Run, step = 30_000): Promise<void> {
  for (let round = 0; round < 200 && run.state.status === 'running'; round++) {
    await breathe(1);
    if (team.clock.timers > 0 && run.state.status === 'running') await team.clock.advance(step);
  }
}

async function runWith(
  replies: readonly ScriptedReply[],
  profile = waitsForUser + allow('t'),
): Promise<{ readonly team: TestEngine; readonly run: Run; readonly ran: () => number }> {
  let ran = 0;
  const team = await testEngine({ profile, tools: [tool('t', () => ++ran)], replies });
  const run = await team.launch();
  await throughTime(team, run);
  return { team, run, ran: () => ran };
}

const call = { name: 't', args: {} };

describe('model faults, through the whole engine', () => {
  it('M12: a reply that is empty twice is no silent success: the decider sees it, and asks again', async () => {
    const { team, run } = await runWith([{ text: '' }, { text: ' \n' }, { text: 'now' }], '');
    expect(await run.result).toMatchObject({ status: 'completed', output: 'now' });
    expect(run.turns()[0]?.attempts.map(({ error }) => error?.code)).toEqual(['MODEL_EMPTY_REPLY', 'MODEL_EMPTY_REPLY']);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('M12: nothing but silence ends in an error, with every attempt on record', async () => {
    const { team, run } = await runWith(
      Array.from({ length: 12 }, () => ({ text: '' })),
      '',
    );
    expect(await run.result).toMatchObject({ status: 'failed', outcome: 'error' });
    expect(run.turns().flatMap(({ attempts }) => attempts)).toHaveLength(team.model.requests.length);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it.each(['end', 'error', 'reset'] as const)(
    'M5: a stream that is cut (%s) at any part is tried again, and none of its calls runs',
    async (cutWith) => {
      for (let cutAfter = 0; cutAfter < 6; cutAfter++) {
        const { team, run, ran } = await runWith([
          { text: 'I begin', toolCalls: [call, call], cutAfter, cutWith },
          { text: 'whole' },
        ]);
        expect(ran()).toBe(0);
        expect(run.turns()).toMatchObject([{ status: 'completed', reply: { text: 'whole', toolCalls: [] } }]);
        expect(run.turns()[0]?.attempts).toHaveLength(2);
        await verifyRun(run, team.journal, { requests: team.model.requests });
      }
    },
  );

  it.each([
    ['M2: 500 always', { error: { status: 500, message: 'oops' } }, 'MODEL_UNAVAILABLE', 3],
    [
      'M1: 429 always',
      { error: { status: 429, message: 'slow down', headers: { 'retry-after': '5' } } },
      'MODEL_RATE_LIMITED',
      undefined,
    ],
    ['M3: 401', { error: { status: 401, message: 'no' } }, 'MODEL_REJECTED', 1],
    ['M13: content filter', { text: 'I can', toolCalls: [call], finishReason: 'content-filter' }, 'MODEL_REFUSED', 1],
    ['M14: parts that are none', { parts: ['<html>' as never] }, 'MODEL_BAD_RESPONSE', 3],
    ['M4: hangs before its first token', { hang: true }, 'MODEL_TIMEOUT', undefined],
    ['M4: hangs in the middle', { text: 'one two', hang: true, cutAfter: 2 }, 'MODEL_TIMEOUT', undefined],
    ['M4: hangs and takes no notice of the abort', { hang: true, ignoreAbort: true }, 'MODEL_TIMEOUT', undefined],
    ['not a model error at all', { error: new TypeError('x is not a function') }, undefined, undefined],
  ] as const)('%s: the turn and the run end in that error, with each attempt on record', async (_name, reply, code, attempts) => {
    const { team, run, ran } = await runWith(Array.from({ length: 60 }, () => reply));
    const result = await run.result;
    expect(result).toMatchObject({ status: 'failed', outcome: 'error' });
    if (code !== undefined) expect(result.error?.code).toBe(code);
    expect(run.turns()).toHaveLength(1);
    expect(run.turns()[0]).toMatchObject({ status: 'error', error: { code: result.error?.code } });
    expect(run.turns()[0]?.attempts).toHaveLength(attempts ?? team.model.requests.length);
    expect(ran()).toBe(0);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('a fault in the middle of a conversation leaves a history that any provider takes', async () => {
    const { team, run } = await runWith([
      { toolCalls: [call] },
      { text: 'cut', cutAfter: 1 },
      { toolCalls: [call, { name: 'nope', args: {} }] },
      { error: { status: 503 } },
      { text: 'done' },
    ]);
    expect(run.turns().map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('a model that is not there fails the launch, before anything is written', async () => {
    const team = await testEngine({ replies: [] });
    await expect(team.launch('x', { llmConfig: 'nothing_of_the_kind' })).rejects.toMatchObject({ code: 'MODEL_UNKNOWN' });
    expect(await team.engine.runs()).toEqual([]);
  });
});
