import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { LLMock } from '@copilotkit/aimock';
import { createEngine, defineTool, type Run } from '../../src/index.ts';
import { countingIds, createMemoryJournal } from '../../src/testing/index.ts';
import { verifyRun } from '../support/verify-run.ts';
import { startMock, wireConfig, wireKeys, wires, type MockProviders, type Wire } from './wires.ts';

const usage = {
  prompt_tokens: 90,
  completion_tokens: 12,
  input_tokens: 90,
  output_tokens: 12,
  promptTokenCount: 90,
  candidatesTokenCount: 12,
};
const weather = (city: string) => ({ name: 'look_up', arguments: JSON.stringify({ city }) });

let server: MockProviders;
let mock: LLMock;
beforeAll(async () => {
  server = await startMock([
    {
      match: { hasToolResult: true, userMessage: 'Oslo' },
      response: { content: 'Lisbon 21, Oslo 9.', reasoning: 'Both are in.', usage },
    },
    { match: { hasToolResult: true }, response: { content: 'Lisbon 21.', usage } },
    {
      match: { userMessage: 'Oslo' },
      response: { content: 'I look.', reasoning: 'Two cities.', toolCalls: [weather('Lisbon'), weather('Oslo')], usage },
    },
    { match: { userMessage: 'Lisbon' }, response: { toolCalls: [weather('Lisbon')], usage } },
    { match: {}, response: { content: 'Hello – Zoë 👋.', usage } },
  ]);
  ({ mock } = server);
});
afterAll(() => server[Symbol.asyncDispose]());

/** Runs one agent with one tool over a wire, from launch to end. */
async function runOver(
  wire: Wire,
  input: string,
  more: readonly string[] = ['max_retries: 0'],
): Promise<{ run: Run; looked: readonly unknown[] }> {
  const looked: unknown[] = [];
  const journal = createMemoryJournal();
  mock.clearRequests();
  await using engine = await createEngine({
    store: journal,
    ids: countingIds(),
    team: false,
    env: wireKeys,
    profiles: {
      files: [
        wireConfig(wire, server.url, ['price: { input: 2, output: 10 }', ...more]),
        {
          path: 'profiles/Clerk.yaml',
          text: 'name: Clerk\ntype: associate\nllm_config_ref: wire\ninstructions: You work.\ntool_access_policy: { allowed_individual_tools: [look_up] }\n',
        },
      ],
    },
    tools: [
      defineTool({
        name: 'look_up',
        description: 'Looks up the weather.',
        effect: 'pure',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        execute: (args) => {
          looked.push(args);
          return `${JSON.stringify(args)} is fine`;
        },
      }),
    ],
  });
  const run = await engine.launch({ profile: 'Clerk', input });
  await run.result;
  await verifyRun(run, journal);
  return { run, looked };
}

describe.each(Object.entries(wires))('a whole run over HTTP: %s', (name, wire) => {
  const reasons = name !== 'OpenAI chat' && name !== 'Azure chat';

  it('[A2.4.llm] [B.46] parallel calls, reasoning, usage and cost', async () => {
    const { run, looked } = await runOver(wire, 'The weather in Lisbon and Oslo?');
    expect(await run.result).toMatchObject({ status: 'completed', output: 'Lisbon 21, Oslo 9.' });
    expect(looked).toEqual([{ city: 'Lisbon' }, { city: 'Oslo' }]);
    const [asked, answered] = run.turns();
    expect(asked?.reply).toMatchObject({
      text: 'I look.',
      finishReason: 'tool-calls',
      ...(reasons && { reasoning: 'Two cities.' }),
    });
    expect(asked?.reply.toolCalls.map(({ name: tool }) => tool)).toEqual(['look_up', 'look_up']);
    expect(answered?.usage).toMatchObject({ inputTokens: 90, outputTokens: 12 });
    expect((await run.result).usage.cost).toBeCloseTo((2 * (90 * 2 + 12 * 10)) / 1_000_000, 10);
    expect(run.turns().flatMap(({ attempts }) => attempts)).toMatchObject([{ model: wire.model }, { model: wire.model }]);
    expect(mock.getRequests()).toHaveLength(2);
  });

  it('one call without a word, then the answer', async () => {
    const { run, looked } = await runOver(wire, 'The weather in Lisbon?');
    expect(await run.result).toMatchObject({ status: 'completed', output: 'Lisbon 21.' });
    expect(looked).toEqual([{ city: 'Lisbon' }]);
  });

  it('a connection that is lost on the way costs an attempt, and no tool runs twice', async () => {
    let asked = 0;
    const lost = { match: { predicate: () => asked++ === 1 }, response: { content: 'x' }, chaos: { disconnectRate: 1 } };
    mock.prependFixture(lost);
    const { run, looked } = await runOver(wire, 'The weather in Lisbon?', ['max_retries: 1', 'wait_seconds_on_retry: 0.01']);
    expect(await run.result).toMatchObject({ status: 'completed', output: 'Lisbon 21.' });
    expect(looked).toEqual([{ city: 'Lisbon' }]);
    const codes = run.turns().map(({ attempts }) => attempts.map(({ error }) => error?.code));
    expect(codes).toEqual([[undefined], ['MODEL_UNAVAILABLE', undefined]]);
  });

  it('letters of all kinds come as they were sent', async () => {
    const { run } = await runOver(wire, 'Say hello.', ['max_retries: 0', 'temperature: 0.5', 'max_output_tokens: 300']);
    expect(await run.result).toMatchObject({ status: 'completed', output: 'Hello – Zoë 👋.' });
  });
});
