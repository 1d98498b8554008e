import { describe, expect, it } from 'vitest';
import type { Run } from '../../../src/index.ts';
import { waitsForUser } from '../../support/test-engine.ts';
import { allow, tool } from '../../support/tools.ts';
import { servedTeam, type ServedTeam } from '../http/served-team.ts';
import { chatClient, type TeamMessage } from './chat-client.ts';

const asks = `stagnation: off\n${waitsForUser}${allow('pay', 'ask_human')}tool_gates: [{ id: money, tools: [pay], verdict: ask }]\n`;
const stepwise = `${allow('look')}checkpoints: [{ id: each, after_turns: 1, message: Go on? }]`;
const step = { toolCalls: [{ name: 'look', args: {} }] };

/** A team that pays, what it paid, and clients whose requests can be sent again. */
async function payingTeam(replies: Parameters<typeof servedTeam>[0]) {
  const paid: unknown[] = [];
  const team = await servedTeam({ profile: asks, tools: [tool('pay', (args) => `paid ${paid.push(args)}`)], ...replies });
  const bodies: string[] = [];
  const client = (id: string, messages: TeamMessage[] = []) =>
    chatClient(team.served.url, {
      id,
      messages,
      transport: {
        fetch: async (address, init) => {
          if (typeof init?.body === 'string') bodies.push(init.body);
          return await fetch(address, init);
        },
      },
    });
  return { ...team, paid, bodies, client, send: (body: string) => post(team, body) };
}

/** Sends a request of a chat client again, as a proxy or a browser does, and reads the whole answer. */
async function post({ served }: ServedTeam, body: string): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${served.url}/api/chat`, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
}

const pay = (to: string, amount: number) => ({ toolCalls: [{ name: 'pay', args: { to, amount } }] });

/** Ids of the approvals that a chat shows as open in its last message. */
function openIn(chat: { readonly messages: readonly TeamMessage[] }): readonly string[] {
  const parts = chat.messages.at(-1)?.parts ?? [];
  return parts.flatMap((part) => (part.type === 'dynamic-tool' && part.state === 'approval-requested' ? [part.approval.id] : []));
}

function questionsIn(chat: { readonly messages: readonly TeamMessage[] }): readonly string[] {
  const parts = chat.messages.at(-1)?.parts ?? [];
  return parts.flatMap((part) => (part.type === 'data-question' ? [(part.data as { readonly id: string }).id] : []));
}

/** Returns the run that a chat has now. */
async function lastRun({ engine }: ServedTeam): Promise<Run> {
  const runs = await engine.runs();
  const live = runs.flatMap(({ runId }) => engine.live(runId) ?? []).filter(({ state }) => state.outcome === undefined);
  const run = live.at(-1);
  if (run === undefined) throw new Error('no run is live');
  return run;
}

describe('F93: a verdict of a chat decides what its message answers, and nothing else', () => {
  it('"no" to Mallory does not pay: the approval of Alice, in a run that was stopped, is history to its fork', async () => {
    const paid: unknown[] = [];
    // The bank answers Alice's payment after the run was stopped.
    const bank = tool('pay', async (args, { signal }) => {
      paid.push(args);
      if (paid.length === 1) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return 'paid';
    });
    const replies = [pay('Alice', 10), pay('Mallory', 5_000), { text: 'As you say.' }];
    const team = await payingTeam({ replies, tools: [bank] });
    const chat = team.client('c');
    await chat.sendMessage({ text: 'Pay Alice 10.' });
    await chat.addToolApprovalResponse({ id: openIn(chat)[0] ?? '', approved: true });
    const sent = chat.sendMessage();
    await expect.poll(() => paid).toEqual([{ to: 'Alice', amount: 10 }]);
    const first = await lastRun(team);
    await chat.stop();
    await sent;
    await first.cancel('stop');
    await chat.sendMessage({ text: 'What about Mallory? Ask me first.' });
    const second = await lastRun(team);
    expect(second.pending).toMatchObject([{ kind: 'approval', args: { to: 'Mallory' } }]);
    await chat.addToolApprovalResponse({ id: openIn(chat)[0] ?? '', approved: false, reason: 'never' });
    await chat.sendMessage();
    expect(chat.error).toBeUndefined();
    expect([first.id === second.id, second.pending]).toEqual([false, []]);
    // Whatever was sent so far is sent again.
    for (const body of [...team.bodies]) await team.send(body);
    expect(paid).toEqual([{ to: 'Alice', amount: 10 }]);
  });

  it('a call that is asked again after an edit of its gate waits for a verdict on that, whatever the chat sends', async () => {
    const team = await payingTeam({ replies: [pay('Alice', 10), { text: 'Done.' }, { text: 'Still here.' }] });
    const chat = team.client('c');
    await chat.sendMessage({ text: 'Pay Alice 10.' });
    const run = await lastRun(team);
    const [shown] = openIn(chat);
    const dear = [{ id: 'money', tools: ['pay'], verdict: 'ask', message: 'This costs a fee of 4000.' }];
    await run.updateProfiles([{ update: 'Root', with: { tool_gates: dear } }]);
    await chat.addToolApprovalResponse({ id: shown ?? '', approved: true });
    await chat.sendMessage();
    const [asked] = run.pending;
    expect(asked).toMatchObject({ message: 'This costs a fee of 4000.', changed: ['gate', 'profile'] });
    expect([asked?.id === shown, openIn(chat)]).toEqual([false, [asked?.id]]);
    // The history of another page still says that the call was approved.
    const approved = team.bodies.at(-1) ?? '';
    const history = JSON.parse(approved) as { readonly messages: TeamMessage[] };
    const other = team.client('c', history.messages);
    await other.sendMessage({ text: 'Is it done?' });
    const again = await team.send(approved);
    expect(again.status).toBe(200);
    expect(team.paid).toEqual([]);
    expect(run.pending).toMatchObject([{ id: asked?.id }]);
    await chat.addToolApprovalResponse({ id: asked?.id ?? '', approved: true });
    await chat.sendMessage();
    expect(team.paid).toHaveLength(1);
  });

  it('the same call made once more, with the same arguments, needs a verdict of its own; requests sent again decide nothing', async () => {
    const team = await payingTeam({
      replies: ({ prompt }) => (prompt.filter(({ role }) => role === 'tool').length < 3 ? pay('Alice', 10) : { text: 'Done.' }),
    });
    const chat = team.client('c');
    await chat.sendMessage({ text: 'Pay Alice 10.' });
    const ids: string[] = [];
    for (const approved of [true, false, true]) {
      const [id = ''] = openIn(chat);
      ids.push(id);
      await chat.addToolApprovalResponse({ id, approved });
      await chat.sendMessage();
      const { pending } = await lastRun(team);
      for (const body of [...team.bodies]) await team.send(body);
      expect((await lastRun(team)).pending).toEqual(pending);
    }
    expect(new Set(ids).size).toBe(3);
    expect(team.paid).toHaveLength(2);
  });

  it('a verdict that came too late is refused with what happened; the same verdict once more is no error', async () => {
    const team = await payingTeam({ replies: [pay('Alice', 10), { text: 'Done.' }] });
    const [one, two] = [team.client('c'), team.client('c')];
    await one.sendMessage({ text: 'Pay Alice 10.' });
    two.messages = structuredClone(one.messages);
    const [id = ''] = openIn(one);
    await two.addToolApprovalResponse({ id, approved: false, reason: 'too much' });
    await two.sendMessage();
    expect((await team.send(team.bodies.at(-1) ?? '')).status).toBe(200);
    await one.addToolApprovalResponse({ id, approved: true });
    await one.sendMessage();
    expect(one.error?.message).toMatch(/^request ask_\w+ of run \S+ was rejected by anyone at 20\S+: too much$/);
    expect(team.paid).toEqual([]);
  });

  it('decides one request and tells that another one of its message was decided otherwise', async () => {
    const both = { toolCalls: [...pay('Alice', 10).toolCalls, ...pay('Bob', 20).toolCalls] };
    const team = await payingTeam({ replies: [both, { text: 'Done.' }] });
    const chat = team.client('c');
    await chat.sendMessage({ text: 'Pay both.' });
    const [alice = '', bob = ''] = openIn(chat);
    await (await lastRun(team)).reject(alice, { message: 'not her' });
    await chat.addToolApprovalResponse({ id: alice, approved: true });
    await chat.addToolApprovalResponse({ id: bob, approved: true });
    await chat.sendMessage();
    expect(team.paid).toEqual([{ to: 'Bob', amount: 20 }]);
    expect(JSON.stringify(chat.messages.at(-1)?.parts)).toMatch(/was rejected at 20\S+: not her/);
  });

  it('an id that the chat never showed, and the id of a call, are refused', async () => {
    const team = await payingTeam({ replies: [pay('Alice', 10)] });
    const chat = team.client('c');
    await chat.sendMessage({ text: 'Pay Alice 10.' });
    const run = await lastRun(team);
    const [asked] = run.pending;
    for (const id of [asked?.callId ?? '', 'ask_Root_1', 'ask_1_0000000000000000', asked?.id.slice(0, -1) ?? '', `${asked?.id}0`]) {
      const messages = structuredClone(chat.messages) as unknown as { parts: { state?: string; approval?: unknown }[] }[];
      for (const part of messages.at(-1)?.parts ?? [])
        if (part.state === 'approval-requested')
          Object.assign(part, { state: 'approval-responded', approval: { id, approved: true } });
      const answer = await team.send(JSON.stringify({ id: 'c', messages, trigger: 'submit-message' }));
      expect([id, answer.status, answer.text]).toEqual([id, 404, expect.stringContaining(asked?.id ?? '?')]);
    }
    expect(team.paid).toEqual([]);
  });
});

describe('F94: the answer to one question answers no other', () => {
  it('two people answer two checkpoints one after another: the second, whose page is old, is told what happened', async () => {
    const team = await payingTeam({ profile: stepwise, tools: [tool('look', () => 'a cat')], replies: [step, step, step] });
    const [one, two] = [team.client('c'), team.client('c')];
    await one.sendMessage({ text: 'Look.' });
    two.messages = structuredClone(one.messages);
    const run = await lastRun(team);
    const [first] = run.pending;
    expect(questionsIn(one)).toEqual([first?.id]);
    await one.sendMessage({ text: 'go on' });
    const [second] = run.pending;
    expect([second?.kind, second?.id === first?.id]).toEqual(['question', false]);
    await two.sendMessage({ text: 'end' });
    expect(two.error?.message).toMatch(
      new RegExp(`asks ${second?.id}.* did not show it; request ${first?.id} was answered "go on" by anyone at 20`),
    );
    await expect(run.answer(first?.id ?? '', 'end')).rejects.toMatchObject({
      code: 'PENDING_UNKNOWN',
      message: expect.stringMatching(/was answered "go on" by anyone at 20/),
      details: { fate: { end: 'answered', value: 'go on' } },
    });
    expect(run.pending).toMatchObject([{ id: second?.id }]);
    expect(team.model.requests).toHaveLength(2);
  });

  it('requests that are sent again, and a message of a page that shows no question, let no agent go on', async () => {
    const team = await payingTeam({ profile: stepwise, tools: [tool('look', () => 'a cat')], replies: [step, step, step, step] });
    const chat = team.client('c');
    await chat.sendMessage({ text: 'Look.' });
    await chat.sendMessage({ text: 'go on' });
    await chat.sendMessage({ text: 'Only at the mat.' });
    const run = await lastRun(team);
    const { pending } = run;
    const asked = team.model.requests.length;
    for (const body of [...team.bodies]) await team.send(body);
    const lone = JSON.stringify({ id: 'c', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'end' }] }] });
    expect(await team.send(lone)).toMatchObject({ status: 404, text: expect.stringContaining(pending[0]?.id ?? '?') });
    expect(run.pending).toEqual(pending);
    expect(team.model.requests).toHaveLength(asked);
    // A client that sends its last message alone names the question.
    expect((await team.send(JSON.stringify({ ...JSON.parse(lone), answers: pending[0]?.id }))).status).toBe(200);
    expect(run.state.outcome).toBe('checkpoint');
  });

  it('an answer that is sent again is no error, and no answer to what the same tool asks next', async () => {
    const ask = { toolCalls: [{ name: 'ask_human', args: { question: 'Which?', choices: ['red', 'blue'] } }] };
    const team = await payingTeam({ replies: [ask, ask, { text: 'Done.' }] });
    const chat = team.client('c');
    await chat.sendMessage({ text: 'Ask me.' });
    await chat.sendMessage({ text: '2' });
    const run = await lastRun(team);
    const { pending } = run;
    expect(await team.send(team.bodies.at(-1) ?? '')).toMatchObject({ status: 200 });
    expect(run.pending).toEqual(pending);
    // As the output of the call, which the chat showed under its own question.
    const call = chat.messages.at(-1)?.parts.findLast((part) => part.type === 'dynamic-tool');
    expect(call?.toolMetadata).toMatchObject({ asking: pending[0]?.id });
    await chat.addToolOutput({ tool: 'ask_human', toolCallId: call?.toolCallId ?? '', output: 'red' });
    await chat.sendMessage();
    expect(run.pending).toEqual([]);
    const answers = run.turns().flatMap(({ toolInteractions }) => toolInteractions.map(({ content }) => content));
    expect(answers).toEqual(['blue', 'red']);
  });

  it('each of two questions that wait is answered by its own message', async () => {
    const ask = (question: string) => ({ name: 'ask_human', args: { question } });
    const team = await payingTeam({ replies: [{ toolCalls: [ask('First?'), ask('Second?')] }, { text: 'Done.' }] });
    const chat = team.client('c');
    await chat.sendMessage({ text: 'Ask me.' });
    await chat.sendMessage({ text: 'one' });
    expect(chat.error).toBeUndefined();
    expect((await lastRun(team)).pending).toMatchObject([{ message: 'Second?' }]);
    await chat.sendMessage({ text: 'two' });
    expect(chat.error).toBeUndefined();
    const [turn] = (await lastRun(team)).turns();
    expect(turn?.toolInteractions.map(({ content }) => content)).toEqual(['one', 'two']);
  });
});
