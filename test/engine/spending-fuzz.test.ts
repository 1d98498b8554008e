import { describe, expect, it } from 'vitest';
import { delegate } from '../support/delegate.ts';
import { breathe, testEngine } from '../support/test-engine.ts';
import { allow } from '../support/tools.ts';
import { type ScriptedReply, scriptedModel } from '../../src/testing/index.ts';
import { estimateTokens } from '../../src/core/prompt/token-estimate.ts';

/** Cases: a sample, all with SWEEPS=all; SPENDING_SEED repeats one. */
const cases = process.env['SWEEPS'] === 'all' ? 10_000 : 20;
const first = Number(process.env['SPENDING_SEED'] ?? 1);

/** Most agents that stream at once, and the tokens of the longest piece of a stream. */
const agents = 4;
const piece = 110;
const dearest = 300;

/** Numbers from 0 to 1 of a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What models really sent, whoever counts it. */
interface Ledger {
  requests: number;
  tokens: number;
  cost: number;
}

type Model = ReturnType<typeof scriptedModel>;

/** A model whose words are counted as they are read. */
function counted(model: Model, ledger: Ledger, price: number): Model {
  const doStream = async (options: Parameters<Model['doStream']>[0]): Promise<Awaited<ReturnType<Model['doStream']>>> => {
    const answer = await model.doStream(options);
    ledger.requests += 1;
    const reader = answer.stream.getReader();
    let text = '';
    const stream = new ReadableStream<NonNullable<Awaited<ReturnType<typeof reader.read>>['value']>>(
      {
        async pull(controller) {
          const { done, value } = await reader.read();
          if (done) return controller.close();
          if (value.type === 'text-delta' || value.type === 'reasoning-delta') {
            const before = estimateTokens(text);
            text += value.delta;
            ledger.tokens += estimateTokens(text) - before;
            ledger.cost += ((estimateTokens(text) - before) * price) / 1_000_000;
          }
          controller.enqueue(value);
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
    return { ...answer, stream };
  };
  return Object.assign(Object.create(model) as Model, { doStream });
}

function fileOf(name: string, config: string): { readonly path: string; readonly text: string } {
  return { path: `llm_configs/${name}.yaml`, text: `name: ${name}\nconfig: { model: m, ${config} }` };
}

/** A reply of that many pieces, whatever its model was told: whole, or cut. */
function longReply(pieces: number, isCut: boolean): ScriptedReply {
  const delta = 'some words of an answer '.repeat(20);
  const usage = { inputTokens: { total: undefined }, outputTokens: { total: undefined } };
  const end = [
    { type: 'text-end', id: '1' },
    { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
  ];
  const parts = [
    { type: 'text-start', id: '1' },
    ...Array.from({ length: pieces }, () => ({ type: 'text-delta', id: '1', delta })),
    ...(isCut ? [] : end),
  ];
  return { parts: parts as NonNullable<ScriptedReply['parts']> };
}

/** Runs a team under small budgets whose models cut streams, fail, ignore bounds and report usage or none. */
async function spend(seed: number): Promise<void> {
  const random = randomOf(seed);
  const upTo = (most: number): number => Math.floor(random() * (most + 1));
  const hasLongReplies = random() < 0.2;
  const limits = { tokens: 1_000 + upTo(hasLongReplies ? 40_000 : 12_000), costUsd: 0.02 + random() * (hasLongReplies ? 8 : 1.5) };
  const own = random() < 0.5 ? `limits: { max_tokens: ${800 + upTo(4_000)} }\n` : '';
  const retries = `max_retries: ${upTo(8)}, wait_seconds_on_retry: 1`;
  const files = [
    fileOf(
      'main',
      `${hasLongReplies ? '' : `max_output_tokens: ${100 + upTo(1_500)}, `}price: { input: 20, output: 100 }, ${retries}, fallbacks: [dear, cheap]`,
    ),
    fileOf('dear', `max_output_tokens: ${100 + upTo(3_000)}, price: { input: 50, output: ${dearest} }, ${retries}`),
    fileOf('cheap', `price: { input: 1, output: 1 }, max_output_tokens: 400, ${retries}`),
  ];
  const delegates = 1 + upTo(agents - 2);
  let wasAsked = false;
  const reply = (): ScriptedReply => {
    const text = 'some words of an answer '.repeat(1 + upTo(50));
    const kind = random();
    if (hasLongReplies && random() < 0.3) return longReply(upTo(250), random() < 0.5);
    if (kind < 0.45)
      return { text, reasoning: random() < 0.3 ? text : '', cutAfter: upTo(12), cutWith: random() < 0.5 ? 'end' : 'reset' };
    if (kind < 0.55) return { error: { status: random() < 0.5 ? 500 : 429, message: 'no' } };
    if (kind < 0.65) return { text: '' };
    if (!wasAsked) {
      wasAsked = true;
      return { text, toolCalls: Array.from({ length: delegates }, () => ({ name: 'delegate', args: { to: 'Worker' } })) };
    }
    return random() < 0.5 ? { text } : { text: 'done', usage: { inputTokens: 60, outputTokens: 5 } };
  };
  const ledger: Ledger = { requests: 0, tokens: 0, cost: 0 };
  const model = scriptedModel(reply);
  const team = await testEngine({
    profile: {
      Root: `llm_config_ref: main\nstagnation: off\n${allow('delegate')}`,
      Worker: `llm_config_ref: main\n${own}instructions: ${'Work well. '.repeat(upTo(60) + 1)}`,
    },
    files,
    tools: [delegate],
    models: { main: counted(model, ledger, 100), dear: counted(model, ledger, dearest), cheap: counted(model, ledger, 1) },
    random,
  });
  const run = await team.launch('Go.', { limits });
  for (let round = 0; round < 2_000 && run.state.status === 'running'; round++) {
    await breathe(1);
    if (team.clock.timers > 0 && run.state.status === 'running') await team.clock.advance(20_000);
  }
  await run.result;
  const { usage, budget } = run.state;
  const spent = usage.inputTokens + usage.outputTokens;
  expect(budget).toMatchObject({ reservedTokens: 0, reserving: 0 });
  expect(budget.tokens).toBeLessThanOrEqual(limits.tokens + agents * piece);
  expect(budget.cost).toBeLessThanOrEqual(limits.costUsd + (agents * piece * dearest) / 1_000_000);
  expect(spent).toBeLessThanOrEqual(budget.tokens);
  expect(ledger.tokens).toBeLessThanOrEqual(limits.tokens + agents * piece);
  expect(ledger.cost).toBeLessThanOrEqual(limits.costUsd + (agents * piece * dearest) / 1_000_000);
  // Estimates of several texts are rounded each.
  expect(ledger.tokens).toBeLessThanOrEqual(budget.tokens + 3 * ledger.requests);
  await team.engine.close();
}

describe('[F95] spending, whatever models do', () => {
  it(
    `never goes past a budget by more than a piece of each stream (${cases} teams from seed ${first})`,
    { timeout: 7_200_000 },
    async () => {
      for (let seed = first; seed < first + cases; seed++)
        await spend(seed).catch((thrown: unknown) => {
          throw new Error(`SPENDING_SEED=${seed}: ${thrown instanceof Error ? thrown.message : String(thrown)}`, { cause: thrown });
        });
    },
  );
});
