import { describe, expect, it } from 'vitest';
import type { PromptMessage } from '../../src/core/prompt/message.ts';
import { promptText } from '../../src/inspect/turn/prompt-text.ts';
import { originText } from '../../src/inspect/format/origin-text.ts';
import { parseRecording, type ScriptedReply } from '../../src/testing/index.ts';
import { testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const schema = 'output_schema: { type: object, required: [answer], properties: { answer: { type: integer } } }\n';
const good = { text: '{ "answer": 42 }' };

async function answer(replies: readonly ScriptedReply[], profile = '', more: Parameters<typeof testEngine>[0] = {}) {
  const made = await testEngine({ profile: schema + profile, replies, ...more });
  const run = await made.launch();
  await run.settled();
  return { ...made, run, result: run.state.outcome === undefined ? undefined : await run.result };
}

const lastText = (requests: readonly { readonly prompt: unknown }[]): string =>
  promptText(((requests.at(-1)?.prompt ?? []) as readonly PromptMessage[]).slice(-1));

describe('[A2.3.typed-completion] [A4.3.completion] [B.75] an answer that must fit a schema', () => {
  it.each([
    ['alone', '{ "answer": 42 }'],
    ['in one fenced block', '```json\n{ "answer": 42 }\n```\n'],
    ['with white space around it', '\n  {"answer":42}\n'],
  ])('%s, it is the output as JSON text, and its value is there', async (_, text) => {
    const { result, run, journal, model } = await answer([{ text }]);
    expect(result).toMatchObject({ outcome: 'success', output: '{"answer":42}', value: { answer: 42 } });
    expect(model.requests).toHaveLength(1);
    await verifyRun(run, journal, { requests: model.requests });
  });

  it('the model is told of the schema, by its provider where no tool is offered, and why knows the line', async () => {
    const { model, run } = await answer([good]);
    expect(model.requests[0]?.responseFormat).toEqual({
      type: 'json',
      name: 'answer',
      schema: { type: 'object', required: ['answer'], properties: { answer: { type: 'integer' } } },
    });
    expect(promptText(model.requests[0]?.prompt as readonly PromptMessage[])).toContain('"required":["answer"]');
    const piece = run.why('Root_1.t1', 'It must fit this JSON Schema')[0]?.pieces[0];
    expect(piece === undefined ? '' : originText(piece.origin)).toMatch(
      /^profiles\/Root\.yaml:\d+, segment 'output_schema' \(output_schema\) of profile Root$/,
    );
  });

  it.each([
    ['auto', 0],
    ['always', 1],
    ['never', 0],
  ])('with tools, response_format: %s decides whether the provider is told', async (when, told) => {
    const files = [
      { path: 'llm_configs/t.yaml', text: `name: t\ntype: llm_config\nconfig: { model: m, response_format: ${when} }\n` },
    ];
    const { model } = await answer([good], `llm_config_ref: t\n${allow('look')}`, { files, tools: [tool('look', () => '')] });
    expect(model.requests.filter((request) => request.responseFormat !== undefined)).toHaveLength(told);
  });

  it('what does not fit goes back with the problems, and the next answer counts', async () => {
    const { result, model, run, journal } = await answer([{ text: 'It is 42.' }, { text: '{"answer":"42"}' }, good]);
    expect(result).toMatchObject({ outcome: 'success', output: '{"answer":42}' });
    expect(run.turns().map(({ decision }) => [decision.action?.type, decision.action?.code])).toEqual([
      ['loop_with_inbox_item', 'OUTPUT_INVALID'],
      ['loop_with_inbox_item', 'OUTPUT_INVALID'],
      ['end_agent_turn', undefined],
    ]);
    expect(lastText(model.requests)).toMatch(/Your answer is not what it must be:\n- \/answer: must be integer/);
    await verifyRun(run, journal, { requests: model.requests });
  });

  it.each([
    ['twice unless the profile says', '', 3],
    ['as often as the profile says', 'output_repairs: 4\n', 5],
    ['never, when it says so', 'output_repairs: 0\n', 1],
  ])('it is asked for again %s; then the agent ends with an error and keeps the text', async (_, profile, calls) => {
    const { result, model } = await answer(
      Array.from({ length: 9 }, (_each, index) => ({ text: `no ${index}` })),
      profile,
    );
    expect(result).toMatchObject({
      status: 'failed',
      outcome: 'error',
      output: `no ${calls - 1}`,
      error: { code: 'OUTPUT_INVALID' },
    });
    expect(result?.error?.message).toContain('it is not JSON');
    expect(result?.value).toBeUndefined();
    expect(model.requests).toHaveLength(calls);
  });

  it('tools that are called in between do not begin the count anew', async () => {
    const replies = [
      { text: 'no' },
      { toolCalls: [{ name: 'look', args: {} }] },
      { text: 'no' },
      { toolCalls: [{ name: 'look', args: {} }] },
      { text: 'still no' },
    ];
    const { result } = await answer(replies, allow('look'), { tools: [tool('look', () => 'seen')] });
    expect(result).toMatchObject({ outcome: 'error', error: { code: 'OUTPUT_INVALID' } });
  });

  it.each([
    ['a forbidden key', '{"answer":1,"__proto__":{"a":1}}', /__proto__/],
    ['too deep', `{"answer":${'['.repeat(500)}${']'.repeat(500)}}`, /nested deeper/],
    ['a value behind the value', '{"answer":1}{"answer":2}', /not JSON/],
  ])('%s is refused', async (_, text, problem) => {
    const { model, result } = await answer([{ text }, good]);
    expect(lastText(model.requests)).toMatch(problem);
    expect(result?.output).toBe('{"answer":42}');
  });

  it('lists and plain values can be asked for, too', async () => {
    const { run } = await (async () => {
      const made = await testEngine({
        profile: 'output_schema: { type: array, items: { type: string }, minItems: 2 }\n',
        replies: [{ text: '["a"]' }, { text: '["a","b"]' }],
      });
      const run = await made.launch();
      return { run };
    })();
    expect(await run.result).toMatchObject({ outcome: 'success', value: ['a', 'b'] });
  });

  it("a rule's own words, an outcome that is no success and a reply that waits for the user are not held to it", async () => {
    const rule = 'flow_decider: [{ id: end, action: { type: end_agent_turn, outcome: success, output: Done. } }]\n';
    expect((await answer([{ text: 'x' }], rule)).result).toMatchObject({ outcome: 'success', output: 'Done.' });
    const failed = 'flow_decider: [{ id: end, action: { type: end_agent_turn, outcome: error, error_message: no } }]\n';
    expect((await answer([{ text: 'x' }], failed)).result).toMatchObject({ outcome: 'error', error: { code: 'AGENT_FAILED' } });
    expect((await answer([{ text: 'x' }], waitsForUser)).run.state.status).toBe('awaiting');
  });

  it('a text protocol gives the answer in its own words', async () => {
    const files = [
      { path: 'llm_configs/t.yaml', text: 'name: t\ntype: llm_config\nconfig: { model: m, tool_protocol: json_actions }\n' },
    ];
    const { result } = await answer(
      [{ text: '{"analysis":"","reasoning":"","actions":[],"answer":{"answer":42}}' }],
      `llm_config_ref: t\n${allow('look')}`,
      { files, tools: [tool('look', () => '')] },
    );
    expect(result).toMatchObject({ outcome: 'success', value: { answer: 42 } });
  });

  it('a repaired run is replayed', async () => {
    const { run } = await answer([{ text: 'no' }, good]);
    const recording = await run.recording();
    const { run: again, result } = await answer([], '', { replay: parseRecording(recording) });
    expect(result).toMatchObject({ outcome: 'success', value: { answer: 42 } });
    expect(await again.recording()).toBe(recording);
  });
});
