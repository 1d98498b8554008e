import path from 'node:path';
import { lastAssistantMessageIsCompleteWithApprovalResponses, lastAssistantMessageIsCompleteWithToolCalls } from 'ai';
import { describe, expect, it } from 'vitest';
import { randomIds } from '../../../src/engine/random-ids.ts';
import { delegate } from '../../support/delegate.ts';
import { askPerson } from '../../support/ask-person.ts';
import { gate, waitsForUser } from '../../support/test-engine.ts';
import { allow, heldTool, tool } from '../../support/tools.ts';
import { temporaryFolder } from '../../cli/cli-process.ts';
import { servedTeam } from '../http/served-team.ts';
import { chatClient, textOf, watchTexts } from './chat-client.ts';

const toolsOf = (message: { readonly parts: readonly object[] } | undefined) =>
  (message?.parts ?? []).filter((part) => 'toolCallId' in part);

describe('a chat of the AI SDK', () => {
  it('is one run: each message is answered in it, in pieces that add up to the reply', async () => {
    const { served, engine } = await servedTeam({
      profile: waitsForUser,
      replies: [{ text: 'Good morning to you.', reasoning: 'A greeting.', delayMs: 5 }, { text: 'Nothing else.' }],
    });
    const chat = chatClient(served.url);
    const texts = watchTexts(chat);
    await chat.sendMessage({ text: 'Good morning!' });
    expect(chat.error).toBeUndefined();
    expect(chat.status).toBe('ready');
    expect(texts.length).toBeGreaterThan(2);
    const [, first] = chat.messages;
    expect(first?.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'reasoning', text: 'A greeting.', state: 'done' },
      { type: 'text', text: 'Good morning to you.', state: 'done' },
    ]);
    expect(first?.metadata).toMatchObject({ status: 'idle', cost: null });

    await chat.sendMessage({ text: 'And then?' });
    expect(chat.messages.map((message) => [message.role, textOf(message)])).toEqual([
      ['user', 'Good morning!'],
      ['assistant', 'Good morning to you.'],
      ['user', 'And then?'],
      ['assistant', 'Nothing else.'],
    ]);
    const runs = await engine.runs();
    expect(runs.map(({ runId }) => runId)).toEqual([first?.metadata?.runId]);
  });

  it('shows calls with arguments and results, those that failed too, and each turn as a step', async () => {
    const { served } = await servedTeam({
      profile: waitsForUser + allow('look', 'fall'),
      tools: [
        tool('look', () => ({ seen: 'a cat' })),
        tool('fall', () => {
          throw new Error('it broke');
        }),
      ],
      replies: [
        {
          text: 'I look.',
          toolCalls: [
            { name: 'look', args: { at: 'the mat' } },
            { name: 'fall', args: {} },
            { name: 'look', input: '{"a": ' },
          ],
        },
        { text: 'A cat.' },
      ],
    });
    const chat = chatClient(served.url, { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls });
    await chat.sendMessage({ text: 'What is there?' });
    expect(chat.error).toBeUndefined();
    const answer = chat.messages.at(-1);
    expect(chat.messages).toHaveLength(2);
    expect(answer?.parts.map(({ type }) => type)).toEqual([
      'step-start',
      'text',
      'dynamic-tool',
      'dynamic-tool',
      'dynamic-tool',
      'step-start',
      'text',
    ]);
    expect(toolsOf(answer)).toMatchObject([
      { toolName: 'look', state: 'output-available', input: { at: 'the mat' }, output: expect.stringContaining('a cat') },
      { toolName: 'fall', state: 'output-error', errorText: expect.stringContaining('it broke') },
      { toolName: 'look', state: 'output-error' },
    ]);
    expect(textOf(answer)).toBe('I look.A cat.');
  });

  it.each([
    { approved: true, state: 'output-available', paid: 1 },
    { approved: false, state: 'output-denied', paid: 0 },
  ])('asks for approval, and goes on with the same message once it is decided: $approved', async ({ approved, state, paid }) => {
    let payments = 0;
    const { served } = await servedTeam({
      profile: waitsForUser + allow('pay'),
      tools: [tool('pay', () => `paid ${(payments += 1)}`, { needs_approval: true })],
      replies: [{ text: 'I pay.', toolCalls: [{ name: 'pay', args: { amount: 5 } }] }, { text: 'Done with it.' }],
    });
    const ended: unknown[] = [];
    const over = gate();
    const chat = chatClient(served.url, {
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
      onFinish: ({ finishReason }) => {
        ended.push(finishReason);
        if (ended.length === 2) over.open();
      },
    });
    await chat.sendMessage({ text: 'Pay.' });
    const [call] = toolsOf(chat.messages.at(-1));
    expect(call).toMatchObject({ state: 'approval-requested', input: { amount: 5 }, approval: { id: expect.any(String) } });
    expect(payments).toBe(0);
    const id = chat.messages.at(-1)?.metadata?.pending?.[0]?.id ?? '';
    await chat.addToolApprovalResponse({ id, approved, ...(approved ? {} : { reason: 'too much' }) });
    await over.promise;
    expect(ended).toEqual(['tool-calls', 'stop']);
    expect(chat.messages).toHaveLength(2);
    expect(toolsOf(chat.messages.at(-1))).toMatchObject([{ state, approval: { id, approved } }]);
    expect(textOf(chat.messages.at(-1))).toBe('I pay.Done with it.');
    expect(payments).toBe(paid);
  });

  it('takes an answer to a question as the next message, and as the output of the call', async () => {
    const { served, model } = await servedTeam({
      profile: waitsForUser + allow('ask_person'),
      tools: [askPerson],
      replies: [
        { toolCalls: [{ name: 'ask_person', args: {} }] },
        { text: 'Thank you.', toolCalls: [{ name: 'ask_person', args: {} }] },
        { text: 'Thanks again.' },
      ],
    });
    const over = gate();
    const chat = chatClient(served.url, {
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
      onFinish: () => {
        if (textOf(chat.messages.at(-1)).includes('again')) over.open();
      },
    });
    await chat.sendMessage({ text: 'Ask me.' });
    expect(chat.messages.at(-1)?.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'dynamic-tool', toolName: 'ask_person', state: 'input-available' },
      { type: 'data-question', data: { message: 'Well?', isOpen: true } },
    ]);
    await chat.sendMessage({ text: 'Very well.' });
    expect(chat.error).toBeUndefined();
    expect(textOf(chat.messages.at(-1))).toBe('Thank you.');
    expect(chat.messages).toHaveLength(4);
    const [, open] = toolsOf(chat.messages.at(-1)) as { readonly toolCallId: string }[];
    await chat.addToolOutput({ tool: 'ask_person', toolCallId: open?.toolCallId ?? '', output: 'Better.' });
    await over.promise;
    expect(chat.messages).toHaveLength(4);
    expect(textOf(chat.messages.at(-1))).toBe('Thank you.Thanks again.');
    expect(JSON.stringify(model.requests.at(-1)?.prompt)).toContain('Better.');
    expect(JSON.stringify(model.requests.at(-1)?.prompt)).toContain('Very well.');
  });

  it('shows where an agent stops for a person, who lets it go on, says how, or ends it', async () => {
    const step = { toolCalls: [{ name: 'look', args: {} }] };
    const { served, model } = await servedTeam({
      profile: `${allow('look')}checkpoints: [{ id: each, after_turns: 1, message: Go on? }]`,
      tools: [tool('look', () => 'a cat')],
      replies: [step, step, step],
    });
    const chat = chatClient(served.url);
    await chat.sendMessage({ text: 'Look.' });
    const question = { type: 'data-question', data: { schema: { enum: ['go on', 'end'] }, isOpen: true } };
    expect(chat.messages.at(-1)?.parts.filter(({ type }) => type === 'data-question')).toMatchObject([question]);
    await chat.sendMessage({ text: 'Only at the mat.' });
    await chat.sendMessage({ text: 'Go on' });
    expect(model.requests).toHaveLength(3);
    expect(JSON.stringify(model.requests[1]?.prompt)).toContain('Only at the mat.');
    await chat.sendMessage({ text: 'end' });
    expect(chat.error).toBeUndefined();
    expect(chat.messages.at(-1)?.metadata).toMatchObject({ status: 'completed' });
    expect(model.requests).toHaveLength(3);
  });

  it('takes back what a reply said that was retried, and says it once', async () => {
    const { served, clock } = await servedTeam({
      profile: waitsForUser,
      replies: [{ text: 'It begins well and never ends', cutAfter: 4, cutWith: 'reset', delayMs: 5 }, { text: 'It ends.' }],
    });
    const chat = chatClient(served.url);
    const texts = watchTexts(chat);
    const sent = chat.sendMessage({ text: 'Go.' });
    await expect
      .poll(async () => {
        if (texts.length > 0) await clock.advance(1_000);
        return textOf(chat.messages.at(-1));
      })
      .toBe('It ends.');
    await sent;
    expect(chat.error).toBeUndefined();
    expect(texts).toEqual(expect.arrayContaining([expect.stringMatching(/^It begins/)]));
    expect(texts.at(-1)).toBe('It ends.');
  });

  it('says what went wrong, and goes on with the next message', async () => {
    const { served } = await servedTeam({
      profile: waitsForUser,
      replies: [{ error: { status: 401, message: 'no such key' } }, { text: 'Now it works.' }],
    });
    const failures: string[] = [];
    const chat = chatClient(served.url, { onError: ({ message }) => failures.push(message) });
    await chat.sendMessage({ text: 'Go.' });
    expect(chat.status).toBe('error');
    expect(failures).toMatchObject([expect.stringContaining('no such key')]);
    chat.clearError();
    await chat.sendMessage({ text: 'Again.' });
    expect(textOf(chat.messages.at(-1))).toBe('Now it works.');
  });

  it('goes on after the run is over, with what was said before', async () => {
    const { served, engine, model } = await servedTeam({ replies: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }] });
    const chat = chatClient(served.url);
    for (const text of ['Count.', 'Go on.', 'And on.']) await chat.sendMessage({ text });
    expect(chat.messages.map(textOf)).toEqual(['Count.', 'One.', 'Go on.', 'Two.', 'And on.', 'Three.']);
    expect(model.requests.at(-1)?.prompt.filter(({ role }) => role !== 'system')).toHaveLength(5);
    expect((await engine.runs()).map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
  });

  it('shows the agents below as parts that change while they work, and asks for them', async () => {
    const { served } = await servedTeam(
      {
        profile: {
          Root: waitsForUser + allow('delegate'),
          Helper: allow('pay'),
        },
        tools: [delegate, tool('pay', () => 'paid', { needs_approval: true })],
        replies: ({ prompt, tools }) => {
          const isHelper = tools?.some(({ name }) => name === 'pay');
          if (prompt.some(({ role }) => role === 'tool')) return { text: isHelper ? 'It is paid.' : 'All done.' };
          return { toolCalls: [isHelper ? { name: 'pay', args: {} } : { name: 'delegate', args: { to: 'Helper' } }] };
        },
      },
      { defaultProfile: 'Root' },
    );
    const over = gate();
    const chat = chatClient(served.url, {
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
      onFinish: ({ finishReason }) => (finishReason === 'stop' ? over.open() : undefined),
    });
    await chat.sendMessage({ text: 'Go.' });
    expect(toolsOf(chat.messages.at(-1))).toMatchObject([
      { toolName: 'delegate', state: 'input-available' },
      { toolName: 'pay', state: 'approval-requested', toolMetadata: { agentId: 'Helper_2' } },
    ]);
    const asked = chat.messages.at(-1)?.metadata?.pending?.[0]?.id ?? '';
    await chat.addToolApprovalResponse({ id: asked, approved: true });
    await chat.sendMessage();
    await over.promise;
    const agents = chat.messages.at(-1)?.parts.filter(({ type }) => type === 'data-agent');
    expect(agents).toMatchObject([{ id: 'Helper_2', data: { profile: 'Helper', status: 'ended', text: 'It is paid.' } }]);
    expect(textOf(chat.messages.at(-1))).toBe('All done.');
  });

  it('goes on when the client leaves, and tells who comes back everything once', async () => {
    const held = heldTool('wait');
    const { served, engine } = await servedTeam({
      profile: waitsForUser + allow('wait'),
      tools: [held.tool],
      replies: [
        { text: 'I wait.', toolCalls: [{ name: 'wait', args: {} }] },
        { text: 'That was long, and now it is over.', delayMs: 10 },
      ],
    });
    const chat = chatClient(served.url, { id: 'a chat / with ünusual?name' });
    const sent = chat.sendMessage({ text: 'Go.' });
    await expect.poll(() => held.gates.size).toBe(1);
    await expect.poll(() => toolsOf(chat.messages.at(-1)).length).toBe(1);
    await chat.stop();
    await sent;
    expect((await engine.runs()).map(({ status }) => status)).toEqual(['running']);

    const back = chatClient(served.url, { id: chat.id, messages: chat.messages });
    const texts = watchTexts(back);
    const resumed = back.resumeStream();
    await expect.poll(() => texts.at(-1)).toBe('I wait.');
    held.gates.get('wait')?.open('waited');
    await resumed;
    expect(back.messages).toHaveLength(2);
    expect(textOf(back.messages.at(-1))).toBe('I wait.That was long, and now it is over.');
    expect(toolsOf(back.messages.at(-1))).toMatchObject([{ state: 'output-available', output: 'waited' }]);
    // Nothing is running any more.
    await back.resumeStream();
    expect(back.status).toBe('ready');
    expect(back.messages).toHaveLength(2);
  });

  it('keeps chats apart, also those that begin at the same moment under one name', async () => {
    const { served, engine } = await servedTeam({
      profile: waitsForUser,
      replies: ({ prompt }) => ({ text: `You said ${JSON.stringify(prompt.at(-1)?.content)}`, delayMs: 2 }),
    });
    const [one, two] = [chatClient(served.url), chatClient(served.url)];
    await Promise.all([one.sendMessage({ text: 'red' }), two.sendMessage({ text: 'blue' })]);
    expect(textOf(one.messages.at(-1))).toContain('red');
    expect(textOf(two.messages.at(-1))).toContain('blue');
    expect(await engine.runs()).toHaveLength(2);
    const twins = [chatClient(served.url, { id: 'same' }), chatClient(served.url, { id: 'same' })];
    await Promise.all(twins.map((chat, index) => chat.sendMessage({ text: `twin ${index}` })));
    expect(twins.map((chat) => chat.status)).toEqual(['ready', 'ready']);
    expect(await engine.runs()).toHaveLength(3);
  });

  it('hands files over, and goes on after the server was started anew', async () => {
    const store = path.join(await temporaryFolder(), 'journal.db');
    const replies = [{ text: 'I see a dot.' }, { text: 'As I said.' }];
    const options = { profile: waitsForUser, store, ids: randomIds };
    const first = await servedTeam({ ...options, replies: replies.slice(0, 1) });
    const chat = chatClient(first.served.url, { id: 'with files' });
    const url =
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    await chat.sendMessage({ text: 'What is it?', files: [{ type: 'file', mediaType: 'image/png', filename: 'dot.png', url }] });
    expect(textOf(chat.messages.at(-1))).toBe('I see a dot.');
    const sent = first.model.requests[0]?.prompt.at(-1)?.content;
    expect(sent).toMatchObject([
      { type: 'text', text: 'What is it?' },
      { type: 'file', mediaType: 'image/png' },
    ]);
    await first.served.close();
    await first.engine.close();

    const second = await servedTeam({ ...options, replies: replies.slice(1) });
    const again = chatClient(second.served.url, { id: 'with files', messages: chat.messages });
    await again.resumeStream();
    await again.sendMessage({ text: 'Again?' });
    expect(again.error).toBeUndefined();
    expect(textOf(again.messages.at(-1))).toBe('As I said.');
    expect(second.model.requests[0]?.prompt).toHaveLength(4);
    expect(await second.engine.runs()).toHaveLength(1);
  });

  it('refuses what it cannot use, and says why', async () => {
    const { served, engine } = await servedTeam({ profile: waitsForUser, replies: [] });
    const said = (parts: unknown, more: object = {}) => ({ id: 'c', messages: [{ id: 'm', role: 'user', parts, ...more }] });
    const words = [{ type: 'text', text: 'Hello.' }];
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const hostile: readonly (readonly [unknown, number, RegExp])[] = [
      ['{', 400, /not JSON/],
      ['null', 400, /the body must be/],
      [[], 400, /the body must be/],
      [{}, 400, /^id must be/],
      [{ id: '', messages: [] }, 400, /^id must be/],
      [{ id: 7, messages: [] }, 400, /^id must be/],
      [{ id: 'x'.repeat(501), messages: [] }, 400, /^id must be/],
      [{ id: 'c' }, 400, /^messages must be/],
      [{ id: 'c', messages: {} }, 400, /^messages must be/],
      [{ id: 'c', messages: [] }, 400, /at least one/],
      [{ id: 'c', messages: [null] }, 400, /messages\[0\]/],
      [said('Hello.'), 400, /messages\[0\]\.parts/],
      [said([null]), 400, /messages\[0\]\.parts\[0\]/],
      [said([{ type: 'text', text: 7 }]), 400, /messages\[0\]\.parts\[0\]\.text: .*expected string/],
      [said([{ type: 'text', text: '  ' }]), 400, /neither text nor files/],
      [said([]), 400, /messages\[0\]\.parts: .*at least one part/],
      [said([{ type: 'wat' }]), 400, /messages\[0\]\.parts\[0\]\.type: .*known part type/],
      [said([{ type: 'dynamic-tool', state: 'gone' }]), 400, /parts\[0\]\.state: .*approval-responded/],
      [
        JSON.stringify(said([{ type: 'text', text: 'x', providerMetadata: { a: 'deep' } }])).replace('"deep"', deep),
        400,
        /nested too deeply/,
      ],
      [said(words, { role: 'tool' }), 400, /role/],
      [said(words, { role: 'system' }), 400, /must end with a message of the user/],
      [said(words, { id: 7 }), 400, /messages\[0\]\.id/],
      [said([{ type: 'file', url: 'file:///etc/passwd', mediaType: 'text/plain' }]), 400, /url/],
      [said([{ type: 'file', url: 'javascript:alert(1)', mediaType: 'text/html' }]), 400, /url/],
      [said([{ type: 'file', url: 'https://example.com/a.png' }]), 400, /mediaType/],
      [said([{ type: 'file', mediaType: 'image/png' }]), 400, /url/],
      [{ ...said(words), profile: 'Nobody' }, 422, /Nobody/],
      [{ ...said(words), profile: 7 }, 400, /profile/],
      [{ ...said(words), trigger: 'delete-everything' }, 400, /trigger/],
      [{ ...said(words), messageId: 7 }, 400, /messageId/],
      [said(words, { role: 'assistant' }), 404, /no conversation 'c'/],
      [`{"id":"c","messages":[],"__proto__":{"profile":"x"}}`, 400, /at least one/],
    ];
    for (const [body, status, message] of hostile) {
      const response = await fetch(`${served.url}/api/chat`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      const answer = (await response.json()) as { readonly error: { readonly message: string } };
      expect({ body, status: response.status, message: answer.error.message }).toEqual({
        body,
        status,
        message: expect.stringMatching(message),
      });
    }
    for (const id of ['..%2f..', '%00', 'x'.repeat(600), '.', '%ff'])
      expect([204, 404, 400]).toContain((await fetch(`${served.url}/api/chat/${id}/stream`)).status);
    expect(await engine.runs()).toEqual([]);
  });

  it('refuses to regenerate and to edit: what was said stays on record', async () => {
    const { served } = await servedTeam({ profile: waitsForUser, replies: [{ text: 'One.' }] });
    const chat = chatClient(served.url);
    await chat.sendMessage({ text: 'Count.' });
    const [question] = chat.messages;
    await chat.regenerate();
    expect(chat.error?.message).toContain('fork the run');
    chat.clearError();
    await chat.sendMessage({ text: 'Count on.', messageId: question?.id ?? '' });
    expect(chat.error?.message).toContain('fork the run');
  });

  it('refuses messages on a read-only server', async () => {
    const { served } = await servedTeam({ profile: waitsForUser, replies: [] }, { readOnly: true });
    const chat = chatClient(served.url);
    await chat.sendMessage({ text: 'Hello.' });
    expect(chat.error?.message).toContain('read-only');
  });

  it.each([
    { by: 'its reply', profile: '', reply: (text: string) => ({ text }) },
    {
      by: 'a call',
      profile: waitsForUser + allow('finish_flow'),
      reply: (summary: string) => ({ toolCalls: [{ name: 'finish_flow', args: { summary } }] }),
    },
  ])('goes on when its run was ended by $by: each message is read once, and answered', async ({ profile, reply }) => {
    const replies = ['One.', 'Two.', 'Three.'].map((text) => reply(text));
    const { served, engine, model } = await servedTeam({ profile, team: {}, replies });
    const chat = chatClient(served.url);
    for (const text of ['First?', 'Second?', 'Third?']) {
      await chat.sendMessage({ text });
      expect(chat.error).toBeUndefined();
    }
    expect(chat.messages.map(textOf)).toEqual(['First?', 'One.', 'Second?', 'Two.', 'Third?', 'Three.']);
    expect(await engine.runs()).toHaveLength(3);
    expect(model.requests).toHaveLength(3);
    const last = JSON.stringify(model.requests.at(-1)?.prompt);
    for (const text of ['First?', 'Second?', 'Third?']) expect(last.split(text)).toHaveLength(2);
  });
});
