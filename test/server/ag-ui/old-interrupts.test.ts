import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { askPerson } from '../../support/ask-person.ts';
import { waitsForUser } from '../../support/test-engine.ts';
import { allow, tool } from '../../support/tools.ts';
import { servedTeam } from '../http/served-team.ts';
import { agUiClient, run } from './ag-ui-client.ts';

const asks = `stagnation: off\n${waitsForUser}${allow('pay')}tool_gates: [{ id: money, tools: [pay], verdict: ask }]\n`;
const pay = (to: string) => ({ toolCalls: [{ name: 'pay', args: { to } }] });
const approved = (interruptId = '') => ({ resume: [{ interruptId, status: 'resolved' as const, payload: { approved: true } }] });

// The client prints each refusal.
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined));
afterEach(() => void vi.restoreAllMocks());

it('F93: an interrupt is resolved once; its resolution, sent again, pays nothing else and is no error', async () => {
  const paid: unknown[] = [];
  const { served, engine } = await servedTeam({
    profile: asks,
    tools: [tool('pay', (args) => `paid ${paid.push(args)}`)],
    replies: [pay('Alice'), pay('Alice'), { text: 'Done.' }],
  });
  const client = agUiClient(served.url, { threadId: 't' });
  client.agent.addMessage({ id: 'm', role: 'user', content: 'Pay.' });
  await run(client);
  const [first] = client.agent.pendingInterrupts;
  const [recorded] = await engine.runs();
  const live = engine.live(recorded?.runId ?? '');
  expect(first).toMatchObject({ id: live?.pending[0]?.id, toolCallId: live?.pending[0]?.callId });
  await run(client, approved(first?.id));
  const [second] = client.agent.pendingInterrupts;
  expect([second?.id === first?.id, paid.length]).toEqual([false, 1]);

  const again = agUiClient(served.url, { threadId: 't' });
  expect(await run(again, approved(first?.id))).toMatchObject({ type: 'interrupt', interrupts: [{ id: second?.id }] });
  const other = agUiClient(served.url, { threadId: 't' });
  const no = { resume: [{ interruptId: first?.id ?? '', status: 'resolved' as const, payload: { approved: false } }] };
  expect(await run(other, no)).toMatchObject({ message: expect.stringMatching(/was approved by anyone at 20/) as string });
  expect(await run(agUiClient(served.url, { threadId: 't' }), approved(second?.toolCallId))).toMatchObject({
    message: expect.stringContaining(`${second?.toolCallId} is a call; its present request is ${second?.id}`) as string,
  });
  expect(paid).toHaveLength(1);
  await run(client, approved(second?.id));
  expect(paid).toHaveLength(2);
});

it('F94: a message without a resolution, and the result of a tool, answer no question', async () => {
  const { served, engine } = await servedTeam({
    profile: `${waitsForUser}${allow('ask_person')}`,
    tools: [askPerson],
    replies: [{ toolCalls: [{ name: 'ask_person', args: {} }] }, { text: 'Done.' }],
  });
  const client = agUiClient(served.url, { threadId: 't' });
  client.agent.addMessage({ id: 'm', role: 'user', content: 'Ask.' });
  await run(client);
  const [asked] = client.agent.pendingInterrupts;
  const late = agUiClient(served.url, { threadId: 't' });
  late.agent.addMessage({ id: 'm2', role: 'user', content: 'Hello?' });
  expect(await run(late)).toMatchObject({ message: expect.stringContaining(`asks ${asked?.id}`) as string });
  const result = agUiClient(served.url, { threadId: 't' });
  result.agent.addMessage({ id: 'm3', role: 'tool', toolCallId: asked?.toolCallId ?? '', content: 'Well.' });
  expect(await run(result)).toMatchObject({ message: expect.stringContaining(`its present request is ${asked?.id}`) as string });
  const [recorded] = await engine.runs();
  expect(engine.live(recorded?.runId ?? '')?.pending).toHaveLength(1);
  expect(await run(client, { resume: [{ interruptId: asked?.id ?? '', status: 'resolved', payload: 'Well.' }] })).toEqual({
    type: 'success',
  });
  const twice = agUiClient(served.url, { threadId: 't' });
  expect(await run(twice, { resume: [{ interruptId: asked?.id ?? '', status: 'resolved', payload: 'Well.' }] })).toEqual({
    type: 'success',
  });
});
