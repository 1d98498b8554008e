import { describe, expect, it } from 'vitest';

import { replayModels } from '../../src/testing/index.ts';
import { verifyRun } from '../support/verify-run.ts';
import { plainAnswer, startFakeProvider, streamAnswer, type Answer } from './fake-provider.ts';
import { anthropicBody, chatBody, chatChunk, clerkOver, googleBody, replyOver, sse } from './raw-wires.ts';
import { wires, type Wire } from './wires.ts';

const groq: Wire = { provider: 'groq', model: 'llama-3.3-70b-versatile', path: '/openai/v1' };
const google = wires['Google'] ?? groq;
const json = { 'content-type': 'application/json' };
const refused = (status: number, error: object): Answer => plainAnswer(status, json, JSON.stringify({ error }));

/** Returns Groq's answer to a call it cannot parse. */
const groqError = (
  failed: string,
  message = "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
) => ({
  message,
  type: 'invalid_request_error',
  code: 'tool_use_failed',
  failed_generation: failed,
});
const written = '<function=look_up{"city": "Lisbon"}</function>';

/** Rejected tool call of a provider: the wire, the answer, and the text that the model must read. */
interface Quirk {
  readonly name: string;
  readonly wire: Wire;
  readonly answer: Answer;
  readonly reads: readonly string[];
  /** The model's text on record. */
  readonly record: string;
  readonly tool: string;
}

const quirks: readonly Quirk[] = [
  {
    name: 'Groq: 400 tool_use_failed with failed_generation',
    wire: groq,
    answer: refused(400, groqError(written)),
    reads: ['Failed to call a function', '<function=look_up'],
    record: written,
    tool: 'look_up',
  },
  {
    name: 'Groq: arguments that do not fit the schema',
    wire: groq,
    answer: refused(
      400,
      groqError(
        '[{"name":"look_up","parameters":{"town":"Lisbon"}}]',
        "tool call validation failed: parameters for tool look_up did not match schema: errors: [missing properties: 'city']",
      ),
    ),
    reads: ["missing properties: 'city'"],
    record: '[{"name":"look_up","parameters":{"town":"Lisbon"}}]',
    tool: 'look_up',
  },
  {
    name: 'Groq: tool_use_failed without what was written',
    wire: groq,
    answer: refused(400, {
      message: "tool call validation failed: attempted to call tool 'find' which was not in request.tools",
      type: 'invalid_request_error',
      code: 'tool_use_failed',
    }),
    reads: ["attempted to call tool 'find'", 'look_up'],
    record: '',
    tool: 'unreadable_call',
  },
  {
    name: 'Groq: the error in the middle of a stream',
    wire: groq,
    answer: streamAnswer(
      sse(...chatBody({ text: 'I look. ' })) + `event: error\n${sse({ error: { ...groqError(written), status_code: 400 } })}`,
    ),
    reads: ['Failed to call a function', '<function=look_up'],
    record: written,
    tool: 'look_up',
  },
  {
    name: 'Google: MALFORMED_FUNCTION_CALL',
    wire: google,
    answer: streamAnswer(
      googleBody({}, 'MALFORMED_FUNCTION_CALL', {
        finishMessage: 'Malformed function call: print(default_api.look_up(city="Lisbon"))',
      }),
    ),
    reads: ['MALFORMED_FUNCTION_CALL', 'print(default_api.look_up'],
    record: '',
    tool: 'unreadable_call',
  },
  {
    name: 'Google: MALFORMED_FUNCTION_CALL without a word about it, behind a text',
    wire: google,
    answer: streamAnswer(googleBody({ text: 'look_up(city=' }, 'MALFORMED_FUNCTION_CALL')),
    reads: ['MALFORMED_FUNCTION_CALL', 'look_up(city='],
    record: 'look_up(city=',
    tool: 'look_up',
  },
  {
    name: 'Google: UNEXPECTED_TOOL_CALL, with a call that is not run',
    wire: google,
    answer: streamAnswer(
      googleBody({ calls: [{ name: 'look_up', args: '{"city":"Lisbon"}' }] }, 'UNEXPECTED_TOOL_CALL', {
        finishMessage: 'Unexpected tool call: Model tried to call an undeclared function: look_up',
      }),
    ),
    reads: ['UNEXPECTED_TOOL_CALL', 'undeclared function'],
    record: '',
    tool: 'look_up',
  },
  {
    name: 'Google over its OpenAI-compatible endpoint',
    wire: { ...groq, provider: 'openai-compatible' },
    answer: streamAnswer(sse(...chatBody({ text: '' }), chatChunk({}, 'function_call_filter: MALFORMED_FUNCTION_CALL'), '[DONE]')),
    reads: ['function_call_filter: MALFORMED_FUNCTION_CALL'],
    record: '',
    tool: 'unreadable_call',
  },
  {
    name: 'Google over a gateway that calls it a stop',
    wire: { ...groq, provider: 'openrouter' },
    answer: streamAnswer(
      sse(
        ...chatBody({ text: '}}]' }),
        { id: 'r1', choices: [{ index: 0, delta: {}, finish_reason: 'stop', native_finish_reason: 'MALFORMED_FUNCTION_CALL' }] },
        '[DONE]',
      ),
    ),
    reads: ['MALFORMED_FUNCTION_CALL', '}}]'],
    record: '}}]',
    tool: 'unreadable_call',
  },
  {
    name: 'Ollama: 500 from the parser of calls',
    wire: { ...groq, provider: 'ollama' },
    answer: refused(500, {
      message: 'error parsing tool call: raw=\'{"city":"Lisbon"}]\', err=invalid character \']\' after top-level value',
      type: 'api_error',
    }),
    reads: ['error parsing tool call', '{"city":"Lisbon"}]'],
    record: '{"city":"Lisbon"}]',
    tool: 'unreadable_call',
  },
  {
    name: 'llama.cpp: 500 from the parser of calls',
    wire: { ...groq, provider: 'llama.cpp' },
    answer: refused(500, {
      code: 500,
      message: 'Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse error at line 1, column 131',
      type: 'server_error',
    }),
    reads: ['Failed to parse tool call arguments'],
    record: '',
    tool: 'unreadable_call',
  },
  {
    name: 'Cerebras: 400 for a tool that is not there',
    wire: { ...groq, provider: 'openai-compatible' },
    answer: refused(400, {
      message: 'Failed to generate tool_calls. Exception: Failed to generate tool call. Tool is not present in the tools list.',
      type: 'invalid_request_error',
    }),
    reads: ['not present in the tools list'],
    record: '',
    tool: 'unreadable_call',
  },
  {
    name: 'Anthropic: arguments that a gateway could not read',
    wire: wires['Anthropic'] ?? groq,
    answer: plainAnswer(
      400,
      json,
      JSON.stringify({
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message:
            'Unable to parse tool parameter JSON from model. Please retry your request or adjust your prompt. Error: SyntaxError: Expected \',\'. JSON: {"city": Lisbon}',
        },
      }),
    ),
    reads: ['Unable to parse tool parameter JSON', '{"city": Lisbon}'],
    record: '{"city": Lisbon}',
    tool: 'unreadable_call',
  },
];

describe('calls that their provider did not take (F13)', () => {
  it.each(quirks)('$name: the model reads what is wrong, and goes on', async ({ wire, answer, reads, record, tool }) => {
    const good = replyOver(wire, { calls: [{ id: 'call_a', name: 'look_up', args: '{"city":"Lisbon"}' }] });
    await using provider = await startFakeProvider([answer, good, replyOver(wire, { text: 'Lisbon is fine.' })]);
    await using clerk = await clerkOver(wire, provider);
    const run = await clerk.run('Weather?');
    expect(await run.result).toMatchObject({ status: 'completed', output: 'Lisbon is fine.' });
    expect(clerk.looked).toEqual([{ city: 'Lisbon' }]);
    expect(provider.bodies).toHaveLength(3);
    const [broken] = run.turns();
    const told = JSON.stringify(provider.bodies[1]).replaceAll('\\', '');
    for (const words of [...reads, 'not run']) expect(told).toContain(words);
    expect(broken?.attempts).toMatchObject([{ error: { code: 'MODEL_CALL_BROKEN' } }]);
    expect(broken?.attempts[0]?.partialText ?? '').toBe(record);
    expect(broken?.reply.toolCalls).toMatchObject([{ name: tool }]);
    expect(broken?.toolInteractions).toMatchObject([{ status: 'error', error: { code: 'TOOL_ARGUMENTS_INVALID' } }]);
    await verifyRun(run, clerk.journal);
  });

  it.each([
    [0, 2],
    [3, 4],
  ])(
    'with max_retries %i, the model gets as many answers in a row, then the run ends with what is wrong, after %i requests',
    async (retries, requests) => {
      let asked = 0;
      const always: Answer = (response, body, incoming) =>
        refused(400, groqError(`${written} ${(asked += 1)}`))(response, body, incoming);
      await using provider = await startFakeProvider([always]);
      await using clerk = await clerkOver(groq, provider, {
        more: [`max_retries: ${retries}`, 'wait_seconds_on_retry: 0.001', 'max_wait_seconds_on_retry: 0.002'],
      });
      const run = await clerk.run('Weather?');
      expect(run.state).toMatchObject({
        status: 'failed',
        error: { message: expect.stringContaining('Failed to call a function') },
      });
      expect(run.turns()).toHaveLength(Math.max(1, retries) + 1);
      expect(clerk.looked).toEqual([]);
      expect(provider.bodies).toHaveLength(requests);
    },
  );

  it('a reply that the provider does take starts the count over', async () => {
    const broken = refused(400, groqError(written));
    const good = (id: string) => replyOver(groq, { calls: [{ id, name: 'look_up', args: '{"city":"Oslo"}' }] });
    await using provider = await startFakeProvider([
      broken,
      good('a'),
      broken,
      good('b'),
      broken,
      replyOver(groq, { text: 'Done.' }),
    ]);
    await using clerk = await clerkOver(groq, provider);
    expect(await (await clerk.run('Weather?')).result).toMatchObject({ status: 'completed', output: 'Done.' });
  });

  it('a model without tools is asked again, and not told', async () => {
    const broken = streamAnswer(googleBody({}, 'UNEXPECTED_TOOL_CALL'));
    await using provider = await startFakeProvider([broken, replyOver(google, { text: 'Fine.' })]);
    await using clerk = await clerkOver(google, provider, {
      more: ['max_retries: 1', 'wait_seconds_on_retry: 0.001'],
      tools: '[]',
    });
    const run = await clerk.run('Hello?');
    expect(run.turns()[0]?.attempts).toMatchObject([{ error: { code: 'MODEL_CALL_BROKEN' } }, {}]);
    expect(await run.result).toMatchObject({ status: 'completed', output: 'Fine.' });
  });

  it('keys are kept out of what the model reads', async () => {
    const leak = refused(400, groqError(written, 'Failed to call a function with key gsk_0123456789.'));
    await using provider = await startFakeProvider([leak, replyOver(groq, { text: 'Done.' })]);
    await using clerk = await clerkOver(groq, provider);
    await clerk.run('Weather?');
    expect(JSON.stringify(provider.bodies)).not.toContain('gsk_0123456789');
  });

  it('an answer that is not the JSON it had to be is tried again', async () => {
    const bad = refused(400, {
      message: "Failed to generate JSON. Please adjust your prompt. See 'failed_generation' for more details.",
      type: 'invalid_request_error',
      code: 'json_validate_failed',
      failed_generation: '{"a":',
    });
    await using provider = await startFakeProvider([bad, replyOver(groq, { text: 'Done.' })]);
    await using clerk = await clerkOver(groq, provider, { more: ['max_retries: 1', 'wait_seconds_on_retry: 0.001'] });
    expect(await (await clerk.run('Weather?')).result).toMatchObject({ status: 'completed', output: 'Done.' });
  });

  it('what Anthropic streams as arguments without being JSON is answered like any such call', async () => {
    const wire = wires['Anthropic'] ?? groq;
    const odd = streamAnswer(anthropicBody({ calls: [{ id: 'toolu_1', name: 'look_up', args: '{"city": Lisbon' }] }, 'tool_use'));
    await using provider = await startFakeProvider([odd, replyOver(wire, { text: 'Done.' })]);
    await using clerk = await clerkOver(wire, provider);
    const run = await clerk.run('Weather?');
    expect(await run.result).toMatchObject({ status: 'completed' });
    expect(JSON.stringify(provider.bodies[1])).toContain('look_up');
    expect(clerk.looked).toEqual([]);
  });

  it('is not run either when the run is replayed, though its text reads like arguments', async () => {
    const args = '{"city":"Lisbon"}';
    await using provider = await startFakeProvider([
      refused(400, groqError(`${args} look_up`)),
      replyOver(groq, { text: 'Done.' }),
    ]);
    await using clerk = await clerkOver(groq, provider);
    const run = await clerk.run('Weather?');
    // The model did not write a call of `look_up`, although the arguments may parse as one.
    const recording = (await run.recording()).replaceAll(
      `${JSON.stringify(args).slice(1, -1)} look_up`,
      JSON.stringify(args).slice(1, -1),
    );
    await using again = await clerkOver(groq, provider, { models: { m: replayModels(recording).default } });
    const replayed = await again.engine.launch({ profile: 'Clerk', input: 'Weather?' }, { llmConfig: 'm' });
    await replayed.result;
    expect(again.looked).toEqual([]);
    expect(replayed.turns()[0]?.toolInteractions).toMatchObject([{ status: 'error' }]);
  });
});
