import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine, defineTool, type Run } from '../../src/index.ts';
import { countingIds, createMemoryJournal } from '../../src/testing/index.ts';
import { verifyRun } from '../support/verify-run.ts';
import { startMock, wireConfig, wireKeys, wires, type MockProviders, type Wire } from './wires.ts';

let server: MockProviders;
beforeAll(async () => {
  const call = '<tool_call>\n{"name": "look_up", "arguments": {"city": "Lisbon"}}\n</tool_call>';
  server = await startMock([
    { match: { userMessage: '<tool_result' }, response: { content: 'Lisbon 21.' } },
    { match: { userMessage: 'Give me JSON' }, response: { content: '{"degrees": 21}' } },
    { match: { userMessage: 'not what it must be' }, response: { content: '{"degrees": 21}' } },
    { match: { userMessage: 'Give me words' }, response: { content: 'Twenty-one.' } },
    { match: {}, response: { content: `I look.\n\n${call}` } },
  ]);
});
afterAll(() => server[Symbol.asyncDispose]());

async function runOver(
  wire: Wire,
  input: string,
  config: readonly string[],
  profile: string,
): Promise<{ run: Run; sent: readonly string[] }> {
  server.mock.clearRequests();
  const journal = createMemoryJournal();
  await using engine = await createEngine({
    store: journal,
    ids: countingIds(),
    team: false,
    env: wireKeys,
    profiles: {
      files: [
        wireConfig(wire, server.url, ['max_retries: 0', ...config]),
        {
          path: 'profiles/Clerk.yaml',
          text: `name: Clerk\ntype: associate\nllm_config_ref: wire\ninstructions: You work.\n${profile}`,
        },
      ],
    },
    tools: [
      defineTool({
        name: 'look_up',
        description: 'Looks up the weather.',
        effect: 'pure',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        execute: (args) => `${JSON.stringify(args)} is fine`,
      }),
    ],
  });
  const run = await engine.launch({ profile: 'Clerk', input });
  await run.result;
  await verifyRun(run, journal);
  return { run, sent: server.mock.getRequests().map(({ body }) => JSON.stringify(body)) };
}

const withTool = 'tool_access_policy: { allowed_individual_tools: [look_up] }\n';
const schema =
  'output_schema: { type: object, required: [degrees], properties: { degrees: { type: integer } }, additionalProperties: false }\n';

describe.each(Object.entries(wires))('over HTTP: %s', (_name, wire) => {
  it('calls as text: no tool goes over the wire as one, and results come back as words of the user', async () => {
    const { run, sent } = await runOver(wire, 'The weather in Lisbon?', ['tool_protocol: xml'], withTool);
    expect(await run.result).toMatchObject({ status: 'completed', output: 'Lisbon 21.' });
    expect(run.turns()[0]).toMatchObject({
      reply: { text: 'I look.', finishReason: 'tool-calls', toolCalls: [{ name: 'look_up' }] },
      toolInteractions: [{ name: 'look_up', status: 'ok', args: { city: 'Lisbon' } }],
    });
    expect(sent).toHaveLength(2);
    expect(sent[0]).toContain('### look_up');
    expect(sent[1]).toContain('<tool_result tool=\\"look_up\\">');
    for (const body of sent) expect(body).not.toMatch(/"(?:tools|functionDeclarations|tool_calls|tool_use|function_call)":/);
  });

  it('an answer that must fit a schema is checked, and asked for again', async () => {
    const good = await runOver(wire, 'Give me JSON.', [], schema);
    expect(await good.run.result).toMatchObject({ status: 'completed', output: '{"degrees":21}', value: { degrees: 21 } });
    const mended = await runOver(wire, 'Give me words.', [], schema);
    expect(await mended.run.result).toMatchObject({ status: 'completed', value: { degrees: 21 } });
    expect(mended.sent).toHaveLength(2);
  });
});
