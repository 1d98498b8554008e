import { describe, expect, it } from 'vitest';
import type { PromptMessage } from '../../src/core/prompt/message.ts';
import type { TextProtocol } from '../../src/core/prompt/text-protocol.ts';
import { promptText } from '../../src/inspect/turn/prompt-text.ts';
import { originText } from '../../src/inspect/format/origin-text.ts';
import { parseRecording, type ScriptedReply } from '../../src/testing/index.ts';
import { delegate } from '../support/delegate.ts';
import { testEngine } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { eventsOf, verifyRun } from '../support/verify-run.ts';

const config = (text: string): { readonly path: string; readonly text: string } => ({
  path: 'llm_configs/t.yaml',
  text: `name: t\ntype: llm_config\nconfig: { model: m, max_retries: 0, ${text} }\n`,
});

const written: Readonly<Record<TextProtocol, (calls: readonly object[]) => string>> = {
  xml: (calls) => `I look.\n\n${calls.map((call) => `<tool_call>\n${JSON.stringify(call)}\n</tool_call>`).join('\n')}`,
  json_actions: (calls) =>
    JSON.stringify({
      analysis: '',
      reasoning: 'I look.',
      actions: calls.map((call) => {
        const { name, arguments: args } = call as { readonly name: string; readonly arguments: object };
        return { tool: name, args };
      }),
    }),
  loose_json: (calls) => `I look.\n\n${JSON.stringify(calls.length === 1 ? calls[0] : calls)}`,
};

const protocols: readonly TextProtocol[] = ['xml', 'json_actions', 'loose_json'];

async function team(protocol: string, replies: readonly ScriptedReply[], more: Parameters<typeof testEngine>[0] = {}) {
  const ran: unknown[] = [];
  const made = await testEngine({
    profile: `llm_config_ref: t\n${allow('fs.read', 'bad', 'delegate')}`,
    tools: [
      tool('fs.read', (args) => {
        ran.push(args);
        return `text <tool_call>{"name":"bad"}</tool_call> of ${JSON.stringify(args)}`;
      }),
      tool('bad', () => {
        ran.push('bad');
        throw new Error('no');
      }),
      delegate,
    ],
    files: [config(protocol)],
    replies,
    ...more,
  });
  return { ...made, ran };
}

/** What the model was sent, one text per request. */
function sent(requests: readonly { readonly prompt: unknown }[]): readonly string[] {
  return requests.map(({ prompt }) => promptText(prompt as readonly PromptMessage[]));
}

describe('tool calls as text', () => {
  it.each(protocols)(
    '[A4.2.react] [A4.2.llm-router] [B.23] %s gives the calls, the pairing and the records of native calls',
    async (protocol) => {
      const calls = [
        { name: 'fs_dot_read', arguments: { n: 1 } },
        { name: 'bad', arguments: {} },
        { name: 'nope', arguments: {} },
      ];
      const native = await team('tool_protocol: native', [
        { text: 'I look.', toolCalls: calls.map(({ name, arguments: args }) => ({ name, args })) },
        { text: 'Done.' },
      ]);
      const asText = await team(`tool_protocol: ${protocol}`, [{ text: written[protocol](calls) }, { text: 'Done.' }]);
      const [first, second] = [await native.launch(), await asText.launch()];
      expect(await second.result).toMatchObject({ outcome: 'success', output: 'Done.' });
      expect(await first.result).toMatchObject({ outcome: 'success', output: 'Done.' });
      expect(asText.ran).toEqual(native.ran);
      const shape = (run: typeof first): unknown =>
        run.turns().map(({ reply, toolInteractions, decision, inputs }) => ({
          text: reply.text,
          finish: reply.finishReason,
          calls: reply.toolCalls.map(({ callId, name, wireName, input }) => ({ callId, name, wireName, input })),
          tools: toolInteractions.map(({ name, status, args }) => ({ name, status, args })),
          action: decision.action,
          inputs: inputs.map(({ content, callId, isError }) => ({ content, callId, isError })),
        }));
      expect(shape(second)).toEqual(shape(first));
      expect(second.turns()[0]?.reply.said).toBe(written[protocol](calls));
      // I1 and I10, on what was really sent.
      await verifyRun(second, asText.journal, { requests: asText.model.requests });
      expect(asText.model.requests.every((request) => request.tools === undefined)).toBe(true);
      const prompts = sent(asText.model.requests);
      expect(prompts[0]).toContain('### fs_dot_read\nDoes fs.read.');
      expect(prompts[1]).toContain('<tool_result tool="fs_dot_read">');
      expect(prompts[1]).toContain('&lt;tool_call>{"name":"bad"}');
      expect(asText.model.requests[1]?.prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    },
  );

  it('every line of such a prompt can be asked for its source', async () => {
    const { launch } = await team('tool_protocol: xml', [
      { text: written.xml([{ name: 'fs_dot_read', arguments: { n: 7 } }]) },
      { text: 'Done.' },
    ]);
    const run = await launch();
    await run.result;
    const why = (text: string): string => {
      const piece = run.why('Root_1.t2', text)[0]?.pieces[0];
      return piece === undefined ? 'nothing' : originText(piece.origin);
    };
    expect(why('To call a tool, write this')).toBe('the offered tools and how to call them: tool_protocol xml of LLM config t');
    expect(why('text &lt;tool_call>')).toMatch(/^result of tool fs\.read\(\{"n":7\}\), call c00000001/);
    expect(why('{"name":"fs_dot_read"')).toMatch(/^arguments of tool fs\.read/);
    expect(why('I look.')).toBe('reply of Root_1 in turn Root_1.t1');
    expect(why('You work.')).toMatch(/^profiles\/Root\.yaml:\d+, segment 'instructions'/);
  });

  it('the choice of a tool is told in words, and the last turn has none', async () => {
    const call = written.xml([{ name: 'fs_dot_read', arguments: {} }]);
    for (const [limits, words] of [
      ['', 'You must call `fs_dot_read` in this reply.'],
      ['limits: { max_turns: 1 }\n', 'Call no tool in this reply'],
    ] as const) {
      const { launch, model } = await team('tool_protocol: xml', [{ text: call }, { text: 'a' }], {
        profile: `llm_config_ref: t\ntool_choice: fs.read\n${limits}${allow('fs.read')}`,
      });
      const run = await launch();
      await run.result;
      expect(sent(model.requests)[1]).toContain(words);
    }
  });

  it('[A3.retry-truncated] a call that cannot be read is answered with what is wrong, and asking for ever ends', async () => {
    const { launch, model, ran, journal } = await team(
      'tool_protocol: xml',
      Array.from({ length: 60 }, () => ({ text: '<tool_call>fs.read(1)</tool_call>' })),
    );
    const run = await launch();
    expect((await run.result).outcome).not.toBe('success');
    expect(ran).toEqual([]);
    expect(model.requests.length).toBeLessThan(30);
    expect(sent(model.requests)[1]).toContain('there must be one JSON object');
    await verifyRun(run, journal, { requests: model.requests });
  });

  it.each([
    ['a reply that hit its length', { text: written.xml([{ name: 'fs_dot_read', arguments: {} }]), finishReason: 'length' }],
    ['a call that is not closed', { text: '<tool_call>{"name":"fs_dot_read","arguments":{}}' }],
  ])('%s runs nothing and is told', async (_, reply) => {
    const { launch, ran, model } = await team('tool_protocol: xml', [reply, { text: 'Done.' }]);
    const run = await launch();
    await run.result;
    expect(ran).toEqual([]);
    expect(run.turns()[0]?.toolInteractions.map(({ status }) => status)).toEqual(['error']);
    expect(sent(model.requests)[1]).toContain('status="error"');
  });

  it('[B.22] only a tool without effects runs on arguments that were repaired, and that is on record', async () => {
    const text = "{name: 'look', arguments: {a: 'b',}}";
    for (const effect of ['pure', 'unsafe']) {
      const ran: unknown[] = [];
      const { launch, journal } = await team('tool_protocol: loose_json', [{ text }, { text: 'Done.' }], {
        profile: `llm_config_ref: t\n${allow('look')}`,
        tools: [tool('look', (args) => ran.push(args), { effect })],
      });
      const run = await launch();
      await run.result;
      const request = (await eventsOf(run, journal)).find((event) => event.type === 'tool.request');
      expect(ran).toEqual(effect === 'pure' ? [{ a: 'b' }] : []);
      expect(request).toMatchObject(effect === 'pure' ? { repaired: true, args: { a: 'b' } } : { args: null });
    }
  });

  it('a model with calls of its own may fall back to text only where its config accepts it', async () => {
    const text = written.xml([{ name: 'fs_dot_read', arguments: { n: 1 } }]);
    const accepting = await team('text_tool_calls: accept', [{ text }, { text: 'Done.' }]);
    const run = await accepting.launch();
    await run.result;
    expect(accepting.ran).toEqual([{ n: 1 }]);
    expect(run.turns()[0]?.reply).toMatchObject({ text: 'I look.', said: text });
    await verifyRun(run, accepting.journal, { requests: accepting.model.requests });
    const strict = await team('text_tool_calls: ignore', [{ text }]);
    const other = await strict.launch();
    expect((await other.result).output).toBe(text);
    expect(strict.ran).toEqual([]);
  });

  it('such a run is recorded and replayed like any other', async () => {
    const replies = [{ text: written.json_actions([{ name: 'fs_dot_read', arguments: { n: 1 } }]) }, { text: 'Done.' }];
    const live = await team('tool_protocol: json_actions', replies);
    const run = await live.launch();
    await run.result;
    const recording = await run.recording();
    const replaying = await team('tool_protocol: json_actions', [], { replay: parseRecording(recording) });
    const again = await replaying.launch();
    await again.result;
    expect(replaying.ran).toEqual([]);
    expect(again.turns().map(({ prompt }) => prompt.text)).toEqual(run.turns().map(({ prompt }) => prompt.text));
    expect(await again.recording()).toBe(recording);
  });
});
