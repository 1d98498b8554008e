import { describe, expect, it } from 'vitest';
import type { NodeFunction } from '../../src/index.ts';
import { breathe, gate, testEngine, waitsForUser, type TestEngine } from '../support/test-engine.ts';
import { verifyRun } from '../support/verify-run.ts';

const never: NodeFunction = () => new Promise(() => undefined);

async function withFunction(think: NodeFunction, more = ''): Promise<TestEngine> {
  return await testEngine({ profile: `${more}function_node: think`, functions: { think } });
}

describe('a function node that does not come back', () => {
  it('is told to stop after two minutes without any configuration, and its turn ends in MODEL_TIMEOUT', async () => {
    let signal: AbortSignal | undefined;
    const team = await withFunction((view) => {
      ({ signal } = view);
      return new Promise(() => undefined);
    });
    const run = await team.launch();
    await breathe();
    await team.clock.advance(119_999);
    expect(run.state.status).toBe('running');
    await team.clock.advance(1);
    expect(await run.result).toMatchObject({ status: 'failed', outcome: 'error', error: { code: 'MODEL_TIMEOUT' } });
    expect(signal?.aborted).toBe(true);
    expect(team.clock.timers).toBe(0);
    await verifyRun(run, team.journal);
  });

  it('has the deadline its profile says, and what it answers later changes nothing', async () => {
    const late = gate<{ readonly text: string }>();
    const team = await withFunction(() => late.promise, 'function_timeout: 5s\n');
    const run = await team.launch();
    await breathe();
    await team.clock.advance(5_000);
    expect(await run.result).toMatchObject({ error: { code: 'MODEL_TIMEOUT', message: expect.stringContaining('5 s') } });
    const { seq } = run.state;
    late.open({ text: 'too late' });
    await breathe();
    expect(run.state.seq).toBe(seq);
    await verifyRun(run, team.journal);
  });

  it('is ended by a limit on time, whatever LLM config its profile names', async () => {
    // Nobody calls that model, so nobody configured it.
    const limits = 'llm_config_ref: openai/gpt-none\nfunction_timeout: 2m\nlimits: { max_wall_seconds: 20 }\n';
    const team = await withFunction(never, limits);
    const run = await team.launch();
    await breathe();
    for (let minute = 0; minute < 5; minute++) await team.clock.advance(60_000);
    expect(await run.result).toMatchObject({ status: 'failed', outcome: 'limit' });
    expect(team.clock.timers).toBe(0);
    await verifyRun(run, team.journal);
  });

  it('gets the grace period when its run is cancelled, and is waited for no longer', async () => {
    const team = await withFunction(never, waitsForUser);
    const run = await team.launch();
    await breathe();
    const cancelled = run.cancel('enough');
    await breathe();
    await team.clock.advance(50);
    await cancelled;
    await run.settled();
    expect((await run.result).status).toBe('cancelled');
    expect(team.clock.timers).toBe(0);
    await verifyRun(run, team.journal);
  });

  it('that heeds its signal is over at once', async () => {
    const stopped: unknown[] = [];
    const team = await withFunction(
      ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            stopped.push(signal.reason);
            reject(new Error('stopped'));
          });
        }),
    );
    const run = await team.launch();
    await breathe();
    await run.cancel('enough');
    expect(stopped).toMatchObject([{ code: 'MODEL_ABORTED' }]);
    expect(team.clock.timers).toBe(0);
    await verifyRun(run, team.journal);
  });
});

describe('a function node that says something strange', () => {
  it.each<[string, NodeFunction]>([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    [
      'throws nothing',
      () => {
        throw undefined;
      },
    ],
    ['rejects', () => Promise.reject(new Error('no'))],
    ['returns nothing', () => undefined as never],
    ['returns a number', () => 7 as never],
    ['returns text that is none', () => ({ text: 7 }) as never],
    ['returns calls that are none', () => ({ toolCalls: [null] }) as never],
    ['returns arguments that are no JSON', () => ({ toolCalls: [{ tool: 't', args: { big: 1n } }] }) as never],
    ['returns nothing to read', () => ({ text: '' })],
  ])('%s: the run ends in an error, never in a success', async (_name, think) => {
    const team = await withFunction(think);
    const run = await team.launch();
    const result = await run.result;
    expect(result).toMatchObject({ status: 'failed', outcome: 'error' });
    expect(result.error).toBeDefined();
    await verifyRun(run, team.journal);
  });
});
