import { safeValidateUIMessages } from 'ai';
import { expect, it } from 'vitest';
import { waitsForUser } from '../../support/test-engine.ts';
import { allow, heldTool, tool } from '../../support/tools.ts';
import { servedTeam } from '../http/served-team.ts';
import { chatClient, type TeamMessage, textOf } from './chat-client.ts';

const asks = `${waitsForUser}${allow('pay', 'look')}
stagnation: off
tool_gates: [{ id: money, tools: [pay], verdict: ask, message: Really? }]
`;

/** Returns the messages of a chat, as a page loads them. */
async function loaded(url: string, id: string): Promise<TeamMessage[]> {
  const response = await fetch(`${url}/api/chat/${encodeURIComponent(id)}/messages`);
  expect(response.status).toBe(200);
  return (await response.json()) as TeamMessage[];
}

/** Returns a client's answers, without undefined fields. */
function answersOf(messages: readonly TeamMessage[]): unknown {
  const answers = messages.filter(({ role }) => role === 'assistant').map(({ id, parts }) => ({ id, parts }));
  return JSON.parse(JSON.stringify([...answers, messages.at(-1)?.metadata]));
}

it('F63: a chat that is loaded again has the messages that its client had put together, part by part', async () => {
  const { served } = await servedTeam({
    profile: asks,
    tools: [
      tool('pay', () => 'paid'),
      tool('look', ({ fail }) => (fail === true ? Promise.reject(new Error('too dark')) : 'a cat')),
    ],
    replies: [
      {
        text: 'Let me look.',
        reasoning: 'Where?',
        toolCalls: [
          { name: 'look', args: {} },
          { name: 'look', args: { fail: true } },
          { name: 'look', input: '{"fail"' },
        ],
      },
      { text: 'A cat.' },
      { text: 'I pay.', toolCalls: ['pay', 'pay'].map((name) => ({ name, args: {} })) },
      { text: 'One was paid.' },
    ],
  });
  const chat = chatClient(served.url, { id: 'my chat' });
  await chat.sendMessage({ text: 'What is there?' });
  await chat.sendMessage({ text: 'Pay twice.' });
  expect(answersOf(await loaded(served.url, 'my chat'))).toEqual(answersOf(chat.messages));
  const [first, second] = (chat.messages.at(-1)?.parts ?? []).flatMap((part) => (part.type === 'dynamic-tool' ? [part] : []));
  await chat.addToolApprovalResponse({ id: first?.approval?.id ?? '', approved: true });
  await chat.addToolApprovalResponse({ id: second?.approval?.id ?? '', approved: false, reason: 'once is enough' });
  await chat.sendMessage();
  expect(textOf(chat.messages.at(-1))).toContain('One was paid.');
  const messages = await loaded(served.url, 'my chat');
  expect(answersOf(messages)).toEqual(answersOf(chat.messages));
  expect(messages.filter(({ role }) => role === 'user').map(textOf)).toEqual(['What is there?', 'Pay twice.']);
});

it('F63: a page that is reloaded while a call waits has its messages, and decides; resuming the stream doubles nothing', async () => {
  const { served } = await servedTeam({
    profile: asks,
    tools: [tool('pay', () => 'paid'), tool('look', () => 'seen')],
    replies: [{ text: 'I pay.', toolCalls: [{ name: 'pay', args: {} }] }, { text: 'It is paid.' }],
  });
  await chatClient(served.url, { id: 'c' }).sendMessage({ text: 'Pay.' });

  // With the messages, and without them.
  for (const messages of [await loaded(served.url, 'c'), []]) {
    const back = chatClient(served.url, { id: 'c', messages });
    await back.resumeStream();
    expect(back.error).toBeUndefined();
    expect(back.messages.filter(({ role }) => role === 'assistant')).toHaveLength(1);
    expect(back.messages.at(-1)?.parts.filter(({ type }) => type === 'text' || type === 'dynamic-tool')).toMatchObject([
      { type: 'text', text: 'I pay.' },
      { type: 'dynamic-tool', state: 'approval-requested', approval: { requestReason: expect.any(String) } },
    ]);
    expect(back.messages.at(-1)?.metadata).toMatchObject({ status: 'awaiting' });
  }
  const back = chatClient(served.url, { id: 'c', messages: await loaded(served.url, 'c') });
  const call = back.messages.at(-1)?.parts.findLast((part) => part.type === 'dynamic-tool');
  await back.addToolApprovalResponse({ id: call?.approval?.id ?? '', approved: true });
  await back.sendMessage();
  expect(textOf(back.messages.at(-1))).toBe('I pay.It is paid.');
  expect(back.messages).toHaveLength(2);
  expect(answersOf(await loaded(served.url, 'c'))).toEqual(answersOf(back.messages));
});

it('F63: a page that is reloaded while the team works has what was said, and gets the rest once', async () => {
  const held = heldTool('look');
  const { served } = await servedTeam({
    profile: asks,
    tools: [held.tool, tool('pay', () => 'paid')],
    replies: [{ text: 'I look.', toolCalls: [{ name: 'look', args: {} }] }, { text: 'There is nothing.' }],
  });
  const chat = chatClient(served.url, { id: 'c' });
  const sent = chat.sendMessage({ text: 'Look.' });
  await expect.poll(() => held.gates.size).toBe(1);
  const messages = await loaded(served.url, 'c');
  expect(messages.map(textOf)).toEqual(['Look.', 'I look.']);
  const back = chatClient(served.url, { id: 'c', messages });
  const resumed = back.resumeStream();
  await expect.poll(() => back.status).toBe('streaming');
  held.gates.get('look')?.open('nothing');
  await Promise.all([sent, resumed]);
  expect(back.messages.map(textOf)).toEqual(['Look.', 'I look.There is nothing.']);
  expect(answersOf(back.messages)).toEqual(answersOf(chat.messages));
  expect(answersOf(await loaded(served.url, 'c'))).toEqual(answersOf(chat.messages));
});

it('F63: a question that was answered, and a chat that went on after its run was over, are there after a reload, once', async () => {
  const held = heldTool('look');
  const { served, engine } = await servedTeam({
    profile: `${waitsForUser}${allow('ask_human', 'look')}`,
    tools: [held.tool],
    replies: [
      { text: 'Which?', toolCalls: [{ name: 'ask_human', args: { question: 'Red or blue?', choices: ['red', 'blue'] } }] },
      { text: 'I look.', toolCalls: [{ name: 'look', args: {} }] },
      { text: 'It is red.' },
      { text: 'Still here.' },
    ],
  });
  const chat = chatClient(served.url, { id: 'c' });
  await chat.sendMessage({ text: 'Look it up.' });
  const sent = chat.sendMessage({ text: 'red' });
  await expect.poll(() => held.gates.size).toBe(1);
  const back = chatClient(served.url, { id: 'c', messages: await loaded(served.url, 'c') });
  const resumed = back.resumeStream();
  await expect.poll(() => back.status).toBe('streaming');
  held.gates.get('look')?.open('red');
  await Promise.all([sent, resumed]);
  const said = back.messages.map(textOf).join('|');
  expect(said.match(/Which\?/g)).toHaveLength(1);
  expect(said.match(/I look\./g)).toHaveLength(1);
  expect(said.match(/It is red\./g)).toHaveLength(1);
  const [run] = await engine.runs();
  await engine.live(run?.runId ?? '')?.cancel();
  await chat.sendMessage({ text: 'Are you there?' });
  expect((await loaded(served.url, 'c')).map(textOf).slice(-2)).toEqual(['Are you there?', 'Still here.']);
});

it('F63: a chat of which nothing is known is empty; one of no name, or of a run without words, is no failure of the server', async () => {
  const { served } = await servedTeam({ profile: asks, tools: [tool('pay', () => 'paid'), tool('look', () => 'seen')] });
  expect(await loaded(served.url, 'new')).toEqual([]);
  for (const id of ['..%2f..', '%00', 'x'.repeat(600), '%ff'])
    expect([200, 400, 404]).toContain((await fetch(`${served.url}/api/chat/${id}/messages`)).status);
});

it('F63: what a client shows of an error is words, and programs that ask for JSON get its parts', async () => {
  const { served } = await servedTeam({ profile: waitsForUser, replies: [{ text: 'One.' }] });
  const chat = chatClient(served.url, { id: 'c', transport: { body: { profile: 'Nobody' } } });
  await chat.sendMessage({ text: 'Hello.' });
  expect(chat.error?.message).toMatch(/Nobody/);
  expect(chat.error?.message).not.toMatch(/[{}]|"code"/);
  const post = (accept: string) =>
    fetch(`${served.url}/api/chat`, { method: 'POST', headers: { 'content-type': 'application/json', accept }, body: '{}' });
  const words = await post('*/*');
  expect([words.status, words.headers.get('content-type'), words.headers.get('x-error-code')]).toEqual([
    400,
    expect.stringMatching(/^text\/plain/),
    'REQUEST_INVALID',
  ]);
  expect(await (await post('application/json')).json()).toMatchObject({ error: { code: 'REQUEST_INVALID' } });
});

it('messages of a chat fit the schema of the AI SDK, also of calls that nobody decided over, and the chat goes on with them', async () => {
  const { served, engine } = await servedTeam({
    profile: asks,
    tools: [tool('pay', () => 'paid'), tool('look', () => 'seen')],
    replies: [{ text: 'I pay.', toolCalls: [{ name: 'pay', args: {} }] }, { text: 'Still here.' }],
  });
  const chat = chatClient(served.url, { id: 'c' });
  await chat.sendMessage({ text: 'Pay.' });
  const [run] = await engine.runs();
  const back = chatClient(served.url, { id: 'c', messages: chat.messages });
  await engine.live(run?.runId ?? '')?.cancel('no money left');
  await back.resumeStream();
  const messages = await loaded(served.url, 'c');
  for (const known of [messages, back.messages]) {
    expect(await safeValidateUIMessages({ messages: JSON.parse(JSON.stringify(known)) as unknown })).toMatchObject({
      success: true,
    });
  }
  await back.sendMessage({ text: 'Are you there?' });
  expect(back.error).toBeUndefined();
  expect(textOf(back.messages.at(-1))).toBe('Still here.');
  expect(messages.at(-1)?.parts.find(({ type }) => type === 'dynamic-tool')).toMatchObject({
    state: 'output-denied',
    approval: { approved: false, reason: 'the agent ended before this call did' },
  });
});
