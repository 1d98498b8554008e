import { describe, expect, it } from 'vitest';

import { createMemoryJournal } from '../../src/testing/index.ts';
import { verifyRun } from '../support/verify-run.ts';
import { startFakeProvider, type Answer, type FakeProvider } from './fake-provider.ts';
import { clerkOver, replyOver, type RawCall } from './raw-wires.ts';
import { wireConfig, wires, type Wire } from './wires.ts';

const chat: Wire = { provider: 'openai-compatible', model: 'kimi-k2', path: '/v1' };
const lisbon = (id: string): RawCall => ({ id, name: 'look_up', args: '{"city":"Lisbon"}' });
const oslo = (id: string): RawCall => ({ id, name: 'look_up', args: '{"city":"Oslo"}' });
const calls = (wire: Wire, ...made: RawCall[]): Answer => replyOver(wire, { text: 'I look.', calls: made });
const done = (wire: Wire): Answer => replyOver(wire, { text: 'Fine.' });

/** Returns the ids of the calls and results in a request's body, for any wire. */
function idsIn(body: unknown): { readonly calls: readonly string[]; readonly results: readonly string[] } {
  const found = { calls: [] as string[], results: [] as string[] };
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const { type, id, call_id, tool_call_id, tool_use_id, functionCall, functionResponse } = value as Record<string, unknown>;
    if (type === 'function' || type === 'tool_use') if (typeof id === 'string') found.calls.push(id);
    if (type === 'function_call') found.calls.push(String(call_id));
    if (type === 'function_call_output') found.results.push(String(call_id));
    if (typeof tool_call_id === 'string') found.results.push(tool_call_id);
    if (typeof tool_use_id === 'string') found.results.push(tool_use_id);
    if (functionCall !== undefined) found.calls.push(String((functionCall as { id?: string }).id));
    if (functionResponse !== undefined) found.results.push(String((functionResponse as { id?: string }).id));
    Object.values(value).forEach(visit);
  };
  visit(body);
  return found;
}

const idsOfLast = ({ bodies }: FakeProvider) => idsIn(bodies.at(-1));
const both = (...ids: string[]) => ({ calls: ids, results: ids });

describe('ids of calls go back to their provider (F11)', () => {
  it.each([
    ['OpenAI responses', 'call_Ab12Cd34Ef56'],
    ['OpenAI chat', 'call_Ab12Cd34Ef56'],
    ['OpenAI-compatible chat', 'functions.look_up:0'],
    ['Anthropic', 'toolu_01A09q90qw90lq917835lq9'],
    ['Google', 'fc-8231.77'],
  ])('over %s, call and result have the id %s', async (name, id) => {
    const wire = wires[name];
    if (wire === undefined) throw new Error(`no wire ${name}`);
    await using provider = await startFakeProvider([calls(wire, lisbon(id), oslo(`${id}2`)), done(wire)]);
    await using clerk = await clerkOver(wire, provider);
    const run = await clerk.run('Weather?');
    expect(await run.result).toMatchObject({ status: 'completed', output: 'Fine.' });
    expect(clerk.looked).toEqual([{ city: 'Lisbon' }, { city: 'Oslo' }]);
    expect(idsOfLast(provider)).toEqual(both(id, `${id}2`));
    await verifyRun(run, clerk.journal);
  });

  it('a model that counts within its reply keeps the form of its ids, with the next free number', async () => {
    const answers = [
      calls(chat, lisbon('functions.look_up:0'), oslo('functions.look_up:1')),
      calls(chat, lisbon('functions.look_up:0')),
      calls(chat, oslo('functions.look_up:1'), lisbon('functions.look_up:0')),
      done(chat),
    ];
    await using provider = await startFakeProvider(answers);
    await using clerk = await clerkOver(chat, provider);
    await clerk.run('Weather?');
    const form = [0, 1, 2, 3, 4].map((index) => `functions.look_up:${index}`);
    expect(idsOfLast(provider)).toEqual(both(...form));
    // Later requests repeat the ids of the first.
    const earlier = idsIn(provider.bodies[2]);
    expect(earlier).toEqual(both(...form.slice(0, 3)));
  });

  it('an id that the history has already gives way to one of the engine', async () => {
    await using provider = await startFakeProvider([calls(chat, lisbon('call_0')), calls(chat, oslo('call_0')), done(chat)]);
    await using clerk = await clerkOver(chat, provider);
    const run = await clerk.run('Weather?');
    expect(idsOfLast(provider)).toEqual(both('call_0', 'c00000002'));
    expect(run.turns()[1]?.reply.toolCalls).toMatchObject([{ callId: 'c00000002', providerCallId: 'call_0' }]);
  });

  it.each([
    ['a call without an id', { name: 'look_up', args: '{"city":"Oslo"}' }, 'c00000001'],
    ['an empty id', oslo(''), 'c00000001'],
    ['an id with white space', oslo('call 1\n'), 'c00000001'],
    ['an id of the form the engine has', oslo('c00000007'), 'c00000001'],
    ['an id that no one can mean', oslo('x'.repeat(20_000)), 'c00000001'],
    [
      'an id in which a gateway hides a signature',
      oslo(`call_1__thought__${'Ab+/'.repeat(500)}`),
      `call_1__thought__${'Ab+/'.repeat(500)}`,
    ],
  ])('%s', async (_name, call, sent) => {
    await using provider = await startFakeProvider([calls(chat, call), done(chat)]);
    await using clerk = await clerkOver(chat, provider);
    await clerk.run('Weather?');
    const ids = idsOfLast(provider);
    expect(ids.results).toEqual(ids.calls);
    // The AI SDK invents an id where none is given; an invalid one is replaced by the engine's.
    if (call.id === undefined || call.id === '') expect(ids.calls).toHaveLength(1);
    else expect(ids.calls).toEqual([sent]);
  });

  it.each([
    ['Mistral', { provider: 'mistral', model: 'mistral-large', path: '/v1' }, 'call_49c89af0', 'c00000001'],
    ['Mistral', { provider: 'mistral', model: 'mistral-large', path: '/v1' }, 'aB3dE6gH9', 'aB3dE6gH9'],
    ['a server with a model of Mistral', { ...chat, model: 'mistralai/Devstral-Small' }, 'call_49c89af0', 'c00000001'],
    ['OpenAI chat', { ...chat, provider: 'openai', api: 'chat' as const, model: 'gpt-5' }, 'x'.repeat(41), 'c00000001'],
    ['Anthropic', { provider: 'anthropic', model: 'claude', path: '/v1' }, 'functions.look_up:0', 'c00000001'],
    ['a gateway to Anthropic', { ...chat, model: 'anthropic/claude-sonnet-4.5' }, 'functions.look_up:0', 'c00000001'],
  ])('%s gets only ids that it takes: %#', async (_name, wire, id, sent) => {
    await using provider = await startFakeProvider([calls(wire, lisbon(id)), done(wire)]);
    await using clerk = await clerkOver(wire, provider);
    await clerk.run('Weather?');
    expect(idsOfLast(provider)).toEqual(both(sent));
  });

  it('a fallback on another wire gets ids that it takes, and the first model its own again', async () => {
    const claude: Wire = { provider: 'anthropic', model: 'claude-sonnet-4-5', path: '/v1' };
    const down: Answer = (response) => response.writeHead(503).end('{"error":{"message":"down"}}');
    const answers = [
      calls(chat, lisbon('functions.look_up:0')),
      down,
      calls(claude, oslo('toolu_01')),
      calls(chat, lisbon('functions.look_up:1')),
      done(chat),
    ];
    await using provider = await startFakeProvider(answers);
    await using clerk = await clerkOver(chat, provider, {
      more: ['max_retries: 0', 'cooldown: 0', 'retry: { outage: 0 }', 'fallbacks: [other]'],
      files: [wireConfig(claude, new URL(provider.baseUrl).origin, ['max_retries: 0'], 'other')],
    });
    const run = await clerk.run('Weather?');
    expect(await run.result).toMatchObject({ status: 'completed' });
    expect(idsIn(provider.bodies[2])).toEqual(both('c00000001'));
    expect(idsOfLast(provider)).toEqual(both('functions.look_up:0', 'toolu_01', 'functions.look_up:1'));
    await verifyRun(run, clerk.journal);
  });

  it('a run that goes on in another process, and a fork of it, send the same ids', async () => {
    const waits = 'flow_decider: [{ id: wait, condition: "!state.current_action", action: { type: await_user_input } }]\n';
    const answers = [
      calls(chat, lisbon('functions.look_up:0')),
      done(chat),
      calls(chat, oslo('functions.look_up:0')),
      done(chat),
      done(chat),
    ];
    await using provider = await startFakeProvider(answers);
    const journal = createMemoryJournal();
    const first = await clerkOver(chat, provider, { profile: waits, journal });
    const run = await first.engine.launch({ profile: 'Clerk', input: 'Weather?' });
    await run.settled();
    await first.engine.close();
    await using second = await clerkOver(chat, provider, { profile: waits, journal });
    const resumed = await second.engine.resume(run.id);
    await resumed.send('And there?');
    await resumed.settled();
    expect(idsOfLast(provider)).toEqual(both('functions.look_up:0', 'functions.look_up:1'));
    const fork = await second.engine.fork(run.id, { at: resumed.state.seq });
    await fork.send('Again?');
    await fork.settled();
    expect(idsOfLast(provider)).toEqual(both('functions.look_up:0', 'functions.look_up:1'));
  });
});
