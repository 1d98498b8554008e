import { describe, expect, it } from 'vitest';
import { askPerson } from '../../support/ask-person.ts';
import { delegate } from '../../support/delegate.ts';
import { waitsForUser } from '../../support/test-engine.ts';
import { allow, heldTool, tool } from '../../support/tools.ts';
import { servedTeam } from '../http/served-team.ts';
import { agUiClient, run } from './ag-ui-client.ts';

let count = 0;
const user = (content: string) => ({ id: `said ${(count += 1)}`, role: 'user', content }) as const;

describe('AG-UI', () => {
  it('tells each run from its start to its end: steps, thoughts, words, calls, state', async () => {
    const { served, engine } = await servedTeam({
      profile: waitsForUser + allow('look'),
      tools: [tool('look', () => ({ seen: 'a cat' }))],
      replies: [
        {
          text: 'I look.',
          reasoning: 'Where?',
          toolCalls: [{ name: 'look', args: { at: 'the mat' } }],
          usage: { inputTokens: 10, outputTokens: 5 },
          delayMs: 2,
        },
        { text: 'A cat sits there.', usage: { inputTokens: 20, outputTokens: 6 }, delayMs: 2 },
        { text: 'Nothing else.', usage: { inputTokens: 30, outputTokens: 7 } },
      ],
    });
    const client = agUiClient(served.url);
    client.agent.addMessage(user('What is there?'));
    expect(await run(client)).toEqual({ type: 'success' });
    const types = client.events.map(({ type }) => type);
    expect(types.filter((type, index) => type !== types[index - 1] && type !== 'STATE_DELTA')).toEqual([
      'RUN_STARTED',
      'STATE_SNAPSHOT',
      'STEP_STARTED',
      'REASONING_START',
      'REASONING_MESSAGE_START',
      'REASONING_MESSAGE_CONTENT',
      'REASONING_MESSAGE_END',
      'REASONING_END',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'TOOL_CALL_START',
      'TOOL_CALL_ARGS',
      'TOOL_CALL_END',
      'TOOL_CALL_RESULT',
      'STEP_FINISHED',
      'STEP_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'STEP_FINISHED',
      'RUN_FINISHED',
    ]);
    expect(types.filter((type) => type === 'TEXT_MESSAGE_CONTENT').length).toBeGreaterThan(3);
    expect(client.agent.messages).toMatchObject([
      { role: 'user' },
      { role: 'reasoning', content: 'Where?' },
      { role: 'assistant', content: 'I look.', toolCalls: [{ function: { name: 'look', arguments: '{"at":"the mat"}' } }] },
      { role: 'tool', content: expect.stringContaining('a cat') },
      { role: 'assistant', content: 'A cat sits there.' },
    ]);
    const [{ runId } = { runId: '' }] = await engine.runs();
    expect(client.agent.state).toMatchObject({
      runId,
      status: 'idle',
      turns: 2,
      agents: { Root_1: { profile: 'Root', turns: 2 } },
    });
    expect(client.events.at(-1)).toMatchObject({
      usage: [{ inputTokens: 30, outputTokens: 11 }],
      result: { output: 'A cat sits there.' },
    });

    client.agent.addMessage(user('And?'));
    expect(await run(client)).toEqual({ type: 'success' });
    expect(client.said()).toBe('Nothing else.');
    expect(client.events.at(-1)).toMatchObject({ usage: [{ inputTokens: 30, outputTokens: 7 }] });
    expect(await engine.runs()).toHaveLength(1);
  });

  it.each([
    { name: 'approved', entry: { status: 'resolved', payload: { approved: true } }, paid: [5] },
    {
      name: 'approved with other arguments',
      entry: { status: 'resolved', payload: { approved: true, args: { amount: 3 } } },
      paid: [3],
    },
    { name: 'refused', entry: { status: 'resolved', payload: { approved: false, message: 'too much' } }, paid: [] },
    { name: 'cancelled', entry: { status: 'cancelled' }, paid: [] },
  ] as const)('stops for approval and goes on once it is $name', async ({ entry, paid }) => {
    const payments: unknown[] = [];
    const { served } = await servedTeam({
      profile: waitsForUser + allow('pay'),
      tools: [tool('pay', ({ amount }) => payments.push(amount), { needs_approval: true })],
      replies: [{ text: 'I pay.', toolCalls: [{ name: 'pay', args: { amount: 5 } }] }, { text: 'Done.' }],
    });
    const client = agUiClient(served.url);
    client.agent.addMessage(user('Pay.'));
    expect(await run(client)).toMatchObject({
      type: 'interrupt',
      interrupts: [{ reason: 'tool_call', toolCallId: expect.any(String) }],
    });
    const [interrupt] = client.agent.pendingInterrupts;
    expect(payments).toEqual([]);
    expect(await run(client, { resume: [{ interruptId: interrupt?.id ?? '', ...entry }] })).toEqual({ type: 'success' });
    expect(payments).toEqual(paid);
    expect(client.agent.pendingInterrupts).toEqual([]);
    expect(client.agent.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(client.said()).toBe('Done.');
  });

  it('asks for what a person must say, and takes the answer', async () => {
    const { served, model } = await servedTeam({
      profile: waitsForUser + allow('ask_person'),
      tools: [askPerson],
      replies: [{ toolCalls: [{ name: 'ask_person', args: {} }] }, { text: 'Thank you.' }],
    });
    const client = agUiClient(served.url);
    client.agent.addMessage(user('Ask me.'));
    expect(await run(client)).toMatchObject({ type: 'interrupt', interrupts: [{ reason: 'input_required', message: 'Well?' }] });
    const [interrupt] = client.agent.pendingInterrupts;
    await run(client, { resume: [{ interruptId: interrupt?.id ?? '', status: 'resolved', payload: 'Very well.' }] });
    expect(client.said()).toBe('Thank you.');
    expect(JSON.stringify(model.requests.at(-1)?.prompt)).toContain('Very well.');
  });

  it('takes back what a reply said that was retried, and says it once', async () => {
    const { served, clock } = await servedTeam({
      profile: waitsForUser,
      replies: [{ text: 'It begins well and never ends', cutAfter: 4, cutWith: 'reset', delayMs: 5 }, { text: 'It ends.' }],
    });
    const client = agUiClient(served.url);
    client.agent.addMessage(user('Go.'));
    const ended = run(client);
    await expect
      .poll(async () => {
        if (client.events.some(({ type }) => type === 'TEXT_MESSAGE_CONTENT')) await clock.advance(1_000);
        return client.said();
      })
      .toBe('It ends.');
    expect(await ended).toEqual({ type: 'success' });
    expect(client.agent.messages.map(({ content }) => content)).toEqual(['Go.', 'It ends.']);
  });

  it('tells of the agents below, which are on hold while they wait for a person', async () => {
    const { served } = await servedTeam(
      {
        profile: { Root: waitsForUser + allow('delegate'), Helper: allow('pay') },
        tools: [delegate, tool('pay', () => 'paid', { needs_approval: true })],
        replies: ({ prompt, tools }) => {
          const isHelper = tools?.some(({ name }) => name === 'pay');
          if (prompt.some(({ role }) => role === 'tool')) return { text: isHelper ? 'It is paid.' : 'All done.' };
          return { toolCalls: [isHelper ? { name: 'pay', args: {} } : { name: 'delegate', args: { to: 'Helper' } }] };
        },
      },
      { defaultProfile: 'Root' },
    );
    const client = agUiClient(served.url);
    client.agent.addMessage(user('Go.'));
    expect(await run(client)).toMatchObject({ type: 'interrupt', interrupts: [{ subagentRunId: 'Helper_2' }] });
    expect(client.events.filter(({ type }) => type.startsWith('SUBAGENT'))).toMatchObject([
      { type: 'SUBAGENT_STARTED', name: 'Helper' },
      { type: 'SUBAGENT_FINISHED', outcome: { type: 'suspended' } },
    ]);
    const [interrupt] = client.agent.pendingInterrupts;
    expect(
      await run(client, { resume: [{ interruptId: interrupt?.id ?? '', status: 'resolved', payload: { approved: true } }] }),
    ).toEqual({ type: 'success' });
    expect(client.events.filter(({ type }) => type.startsWith('SUBAGENT')).slice(2)).toMatchObject([
      { type: 'SUBAGENT_STARTED', name: 'Helper' },
      { type: 'SUBAGENT_FINISHED', outcome: { type: 'success' }, result: { output: 'It is paid.' } },
    ]);
    expect(client.agent.state).toMatchObject({ agents: { Helper_2: { status: 'ended', outcome: 'success' } } });
    expect(client.said()).toBe('All done.');
  });

  it('goes on when the client leaves; who comes back is told all messages, and what comes', async () => {
    const held = heldTool('wait');
    const { served, engine } = await servedTeam({
      profile: waitsForUser + allow('wait'),
      tools: [held.tool],
      replies: [
        { text: 'I wait.', toolCalls: [{ name: 'wait', args: {} }] },
        { text: 'That was long, and now it is over.', delayMs: 5 },
      ],
    });
    const client = agUiClient(served.url, { threadId: 'a thread / with ünusual?name' });
    client.agent.addMessage(user('Go.'));
    const first = run(client);
    await expect.poll(() => held.gates.size).toBe(1);
    client.agent.abortRun();
    await first;
    expect((await engine.runs()).map(({ status }) => status)).toEqual(['running']);

    const back = agUiClient(served.url, { threadId: client.agent.threadId });
    const second = run(back);
    await expect.poll(() => back.said()).toBe('I wait.');
    held.gates.get('wait')?.open('waited');
    expect(await second).toEqual({ type: 'success' });
    expect(back.agent.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Go.'],
      ['assistant', 'I wait.'],
      ['tool', 'waited'],
      ['assistant', 'That was long, and now it is over.'],
    ]);
    // Nothing is running: all messages again, and the end.
    const later = agUiClient(served.url, { threadId: client.agent.threadId });
    await run(later);
    expect(later.agent.messages.map(({ content }) => content)).toEqual(back.agent.messages.map(({ content }) => content));
  });

  it('says what went wrong, and that a run was cancelled', async () => {
    const held = heldTool('wait');
    const { served, engine } = await servedTeam({
      profile: waitsForUser + allow('wait'),
      tools: [held.tool],
      replies: [{ error: { status: 401, message: 'no such key' } }, { toolCalls: [{ name: 'wait', args: {} }] }],
    });
    const client = agUiClient(served.url);
    client.agent.addMessage(user('Go.'));
    expect(await run(client)).toMatchObject({ type: 'error', message: expect.stringContaining('no such key') });
    client.agent.addMessage(user('Again.'));
    const ended = run(client);
    await expect.poll(() => held.gates.size).toBe(1);
    const working = (await engine.runs()).find(({ status }) => status === 'running');
    const cancelled = engine.live(working?.runId ?? '')?.cancel('enough');
    held.gates.get('wait')?.open('too late');
    await cancelled;
    expect(await ended).toEqual({ type: 'cancelled' });
  });

  it('hands over what the user shows', async () => {
    const { served, model } = await servedTeam({ profile: waitsForUser, replies: [{ text: 'A dot.' }] });
    const client = agUiClient(served.url);
    const value = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    client.agent.addMessage({
      id: 'shown',
      role: 'user',
      content: [
        { type: 'text', text: 'What is it?' },
        { type: 'image', source: { type: 'data', value, mimeType: 'image/png' } },
      ],
    });
    expect(await run(client)).toEqual({ type: 'success' });
    expect(model.requests[0]?.prompt.at(-1)?.content).toMatchObject([
      { type: 'text', text: 'What is it?' },
      { type: 'file', mediaType: 'image/png' },
    ]);
  });

  it('refuses what it cannot use, and says why', async () => {
    const { served, engine } = await servedTeam({ profile: waitsForUser, replies: [] });
    const said = (content: unknown, more: object = {}) => ({
      threadId: 't',
      runId: 'r',
      messages: [{ id: 'm', role: 'user', content }],
      ...more,
    });
    const hostile: readonly (readonly [unknown, number, RegExp])[] = [
      ['{', 400, /not JSON/],
      [[], 400, /the body must be/],
      [{}, 400, /^threadId must be/],
      [{ threadId: 't' }, 400, /^runId must be/],
      [{ threadId: '', runId: 'r', messages: [] }, 400, /^threadId must be/],
      [{ threadId: 't', runId: 'r' }, 400, /^messages must be/],
      [{ threadId: 't', runId: 'r', messages: [7] }, 400, /messages\[0\]/],
      [{ threadId: 't', runId: 'r', messages: [{ id: 7, role: 'user' }] }, 400, /messages\[0\]\.id/],
      [{ threadId: 't', runId: 'r', messages: [] }, 404, /no conversation 't'/],
      [said(''), 400, /neither text nor files/],
      [said(7), 400, /content of the last message/],
      [said([{ type: 'image' }]), 400, /source/],
      [said([{ type: 'image', source: { type: 'file', value: 'x' } }]), 400, /source/],
      [said([{ type: 'document', source: { type: 'url', value: 'file:///etc/passwd' } }]), 400, /url/],
      [said('Hello.', { resume: 'all' }), 400, /^resume must be/],
      [said('Hello.', { resume: [{ interruptId: 'x', status: 'maybe' }] }), 400, /resume\[0\]\.status/],
      [said('Hello.', { resume: [{ interruptId: 'x', status: 'resolved', payload: { approved: 'yes' } }] }), 400, /approved/],
      [said('Hello.', { forwardedProps: { profile: 7 } }), 400, /profile/],
      [said('Hello.', { forwardedProps: { profile: 'Nobody' } }), 422, /Nobody/],
    ];
    for (const [body, status, message] of hostile) {
      const response = await fetch(`${served.url}/ag-ui`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      const answer = (await response.json()) as { readonly error: { readonly message: string } };
      expect({ body, status: response.status, message: answer.error.message }).toEqual({
        body,
        status,
        message: expect.stringMatching(message),
      });
    }
    expect(await engine.runs()).toEqual([]);
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
    const client = agUiClient(served.url);
    const said: string[] = [];
    for (const text of ['First?', 'Second?', 'Third?']) {
      client.agent.addMessage(user(text));
      expect(await run(client)).toEqual({ type: 'success' });
      said.push(client.said());
    }
    expect(said).toEqual(['One.', 'Two.', 'Three.']);
    expect(await engine.runs()).toHaveLength(3);
    expect(model.requests).toHaveLength(3);
    const last = JSON.stringify(model.requests.at(-1)?.prompt);
    for (const text of ['First?', 'Second?', 'Third?']) expect(last.split(text)).toHaveLength(2);
    // A request without a message starts nothing.
    expect(await run(client)).toEqual({ type: 'success' });
    expect(await engine.runs()).toHaveLength(3);
  });
});
