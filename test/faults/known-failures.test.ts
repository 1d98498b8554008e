import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { assertPairing, scriptedModel } from '../../src/testing/index.ts';
import { breathe, testEngine } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { openPaymentTeam } from './payment-team.ts';
import { callDelta, chatStream, wireModel } from './wire-model.ts';

const child = path.join(import.meta.dirname, 'payment-child.ts');
let folder = '';
let store = '';
let ledger = '';
const children: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cadre-known-'));
  store = path.join(folder, 'journal.db');
  ledger = path.join(folder, 'ledger.txt');
});
afterEach(async () => {
  for (const process of children.splice(0)) process.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

/** Starts a process and answers with the first word it says. */
async function start(...args: readonly string[]): Promise<{ readonly word: string; readonly exit: Promise<unknown> }> {
  const process_ = spawn(process.execPath, [child, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(process_);
  const exit = once(process_, 'exit');
  const lines = createInterface({ input: process_.stdout });
  const [word] = (await once(lines, 'line')) as [string];
  return { word, exit };
}

/** A run whose process was killed when the payment had been made and nobody had been told yet. */
async function killedWhilePaying(): Promise<string> {
  const { word, exit } = await start('pay', store, ledger);
  expect(await exit).toEqual([null, 'SIGKILL']);
  return word;
}

const payments = (): readonly string[] => (existsSync(ledger) ? readFileSync(ledger, 'utf8').trim().split('\n') : []);

describe('what engines of this kind are known to do, and this one does not', () => {
  it.each([
    ['the stream is cut', chatStream([callDelta(0, 'c', 'pay', '{"amount": 1')], null)],
    ['the stream is cut where they happen to parse', chatStream([callDelta(0, 'c', 'pay', '{"amount": 1}')], null)],
    ['the reply hits its length', chatStream([callDelta(0, 'c', 'pay', '{"amount": 1')], 'length')],
    ['the reply hits its length where they happen to parse', chatStream([callDelta(0, 'c', 'pay', '{"amount": 1}')], 'length')],
    ['the provider says that all is well', chatStream([callDelta(0, 'c', 'pay', '{"amount": 1')], 'tool_calls')],
  ])('run a payment tool with truncated arguments: %s', async (_when, body) => {
    const whole = chatStream([callDelta(0, 'c', 'pay', '{"amount": 10}')], 'tool_calls');
    const { model } = wireModel([body, whole, chatStream([{ content: 'Paid.' }])]);
    const paid: unknown[] = [];
    const team = await testEngine({
      profile: allow('pay'),
      tools: [tool('pay', (args) => paid.push(args))],
      models: { m: model },
      random: () => 0,
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ outcome: 'success', output: 'Paid.' });
    expect(paid).toEqual([{ amount: 10 }]);
  });

  it('run a tool twice after a kill: the model is told that the outcome is unknown, and the money leaves once', async () => {
    const runId = await killedWhilePaying();
    const model = scriptedModel([{ text: 'I will find out whether it was paid.' }]);
    const engine = await openPaymentTeam({ store, ledger, replies: [], model });
    const run = await engine.resume(runId);
    await run.settled();
    expect(payments()).toHaveLength(1);
    expect(run.turns()[0]?.toolInteractions).toMatchObject([{ status: 'unknown', error: { code: 'TOOL_OUTCOME_UNKNOWN' } }]);
    expect(JSON.stringify(model.requests[0]?.prompt)).toContain('TOOL_OUTCOME_UNKNOWN');
    await engine.close();
  });

  it('brick the thread when the user writes again after a crash: the history is one that every provider takes', async () => {
    const runId = await killedWhilePaying();
    const model = scriptedModel([{ text: 'Here I am.' }, { text: 'Still here.' }]);
    const engine = await openPaymentTeam({ store, ledger, replies: [], model });
    const run = await engine.resume(runId);
    await run.send('Are you there?');
    await run.settled();
    expect(model.requests.length).toBeGreaterThan(0);
    assertPairing(model.requests);
    expect(JSON.stringify(model.requests.at(-1)?.prompt)).toContain('Are you there?');
    expect(run.turns().at(-1)).toMatchObject({ status: 'completed' });
    expect(payments()).toHaveLength(1);
    await engine.close();
  });

  it("lose the user's message: what was sent before the kill is read after it", async () => {
    const runId = await killedWhilePaying();
    const model = scriptedModel([{ text: 'I hurry.' }, { text: 'I hurry.' }]);
    const engine = await openPaymentTeam({ store, ledger, replies: [], model });
    const run = await engine.resume(runId);
    await run.settled();
    const prompt = JSON.stringify(model.requests.at(-1)?.prompt);
    expect(prompt).toContain('Pay 10.');
    expect(prompt).toContain('And be quick.');
    await engine.close();
  });

  it('let two processes resume one run: the second is told who has it, and nothing runs', async () => {
    const runId = await killedWhilePaying();
    expect((await start('hold', store, ledger, runId)).word).toBe('held');
    const model = scriptedModel([{ text: 'never asked' }]);
    const engine = await openPaymentTeam({ store, ledger, replies: [], model });
    await expect(engine.resume(runId)).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    expect(model.requests).toHaveLength(0);
    expect(payments()).toHaveLength(1);
    await engine.close();
  });

  it.each([
    ['nothing', chatStream([])],
    ['blanks', chatStream([{ content: ' \n ' }])],
    ['thoughts only', chatStream([{ reasoning_content: 'Well.' }])],
    ['a filtered reply', chatStream([{ content: 'I' }], 'content_filter')],
    ['half an answer', chatStream([{ content: 'Half an ans' }], 'length')],
    ['a login page', '<html><body>Sign in</body></html>'],
  ])('return an empty answer as success: %s is an error with a code', async (_what, body) => {
    const team = await testEngine({ models: { m: wireModel([body]).model }, random: () => 0 });
    const run = await team.launch();
    const result = await run.result;
    expect(result).toMatchObject({ status: 'failed', outcome: 'error' });
    expect(result.error?.code).toBeDefined();
  });

  it.each([
    ['a model that never answers', [{ hang: true }, { hang: true }, { hang: true }], 'MODEL_TIMEOUT'],
    ['a model that falls silent', Array.from({ length: 3 }, () => ({ text: 'one two', hang: true, cutAfter: 2 })), 'MODEL_TIMEOUT'],
    ['a tool that never ends', [{ toolCalls: [{ name: 'hang', args: {} }] }, { text: 'It took too long.' }], undefined],
    [
      'a model that calls a tool for ever',
      Array.from({ length: 80 }, () => ({ toolCalls: [{ name: 'look', args: {} }] })),
      'STAGNATION',
    ],
  ])('hang without a limit: %s, with nothing configured, comes to an end', async (_what, replies, code) => {
    const team = await testEngine({
      profile: allow('hang', 'look'),
      tools: [tool('hang', () => new Promise(() => undefined)), tool('look', () => 'nothing new')],
      replies,
    });
    const run = await team.launch();
    for (let hops = 0; hops < 500 && run.state.outcome === undefined; hops += 1) {
      await breathe(1);
      if (team.clock.nextIn !== undefined && run.state.outcome === undefined) await team.clock.advance(team.clock.nextIn);
    }
    const result = await run.result;
    expect(result.error?.code).toBe(code);
    if (code === undefined) expect(run.turns()[0]?.toolInteractions).toMatchObject([{ error: { code: 'TOOL_TIMEOUT' } }]);
    expect(team.clock.monotonic()).toBeLessThan(10 * 60_000);
  });
});
