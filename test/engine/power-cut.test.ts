import { describe, expect, it } from 'vitest';
import type { Ids } from '../../src/core/ids.ts';
import type { Journal } from '../../src/core/events/journal.ts';
import { countingIds } from '../../src/testing/index.ts';
import { breathe, gate, testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { volatileDisk } from '../support/volatile-disk.ts';

function idsOf(name: string): Ids {
  const ids = countingIds();
  return {
    runId: () => `${name}_${ids.runId()}` as ReturnType<Ids['runId']>,
    itemId: () => `${name}_${ids.itemId()}` as ReturnType<Ids['itemId']>,
  };
}

describe.each([
  ['a store that syncs all at once', true],
  ['a store that syncs commit by commit', false],
])('F67: a power cut, %s', (_, syncsAtOnce) => {
  it('takes no run whose launch was acknowledged', async () => {
    const disk = volatileDisk(syncsAtOnce);
    const team = await testEngine({ profile: waitsForUser, store: disk.store, replies: [{ hang: true }] });
    const run = await team.launch('Please work.');
    const left = disk.afterPowerCut();
    expect(await left.read(run.id)).toMatchObject([{ type: 'run.start' }, { type: 'agent.start' }, { type: 'inbox.add' }, {}]);
    const next = await testEngine({ profile: waitsForUser, store: left, replies: [{ text: 'Done.' }], ids: idsOf('next') });
    const again = await next.engine.resume(run.id);
    await again.settled();
    expect(JSON.stringify(next.model.requests[0]?.prompt)).toContain('Please work.');
    await team.engine.close();
    await next.engine.close();
  });

  it('takes no run whose resumption was acknowledged, after a launch that nobody heard of', async () => {
    const disk = volatileDisk(syncsAtOnce);
    let isBroken = true;
    const broken = (): void => {
      if (!isBroken) return;
      isBroken = false;
      throw new Error('EIO: the disk is gone for a moment');
    };
    const store: Journal = {
      ...disk.store,
      append: async (lease, commit) => {
        await disk.store.append(lease, { ...commit, sync: commit.sync && !isBroken });
        broken();
      },
    };
    const team = await testEngine({ profile: waitsForUser, store, replies: [{ hang: true }] });
    await expect(team.launch()).rejects.toMatchObject({ code: 'STORE_FAILED' });
    const run = await team.engine.resume('run_1');
    expect(await disk.afterPowerCut().read(run.id)).toMatchObject([
      { type: 'run.start' },
      { type: 'agent.start' },
      { type: 'inbox.add' },
      { type: 'turn.start' },
      { type: 'run.resume' },
      // The call may have been made before.
      { type: 'model.reserve' },
    ]);
    await team.engine.close();
  });

  it('takes no message that a fork was begun with', async () => {
    const disk = volatileDisk(syncsAtOnce);
    const team = await testEngine({ profile: waitsForUser, store: disk.store, replies: [{ text: 'One.' }, { hang: true }] });
    const run = await team.launch();
    await run.settled();
    const fork = await team.engine.fork(run.id, { message: 'And now this.' });
    expect(JSON.stringify(await disk.afterPowerCut().read(fork.id))).toContain('And now this.');
    await team.engine.close();
  });

  it('never makes one idempotency key serve two requests', async () => {
    const disk = volatileDisk(syncsAtOnce);
    const served = new Map<string, string>();
    const calls = new Map<string, string>();
    const seen: string[] = [];
    const never = gate();
    const team = async (store: Journal, amounts: readonly number[], name: string) =>
      await testEngine({
        profile: waitsForUser + allow('book', 'look'),
        tools: [
          tool('look', () => 'nothing', { effect: 'pure' }),
          tool(
            'book',
            async (args, { idempotencyKey, runId, toolCallId }) => {
              const request = JSON.stringify(args);
              seen.push(idempotencyKey);
              for (const [keys, key] of [[served, idempotencyKey] as const, [calls, `${runId} ${toolCallId}`] as const]) {
                expect(keys.get(key) ?? request, key).toBe(request);
                keys.set(key, request);
              }
              if (seen.length === 1) await never.promise;
              return 'booked';
            },
            { effect: 'idempotent' },
          ),
        ],
        replies: [
          { toolCalls: [{ name: 'look', args: {} }] },
          { toolCalls: [{ name: 'book', args: { amount: amounts[0] } }] },
          { toolCalls: [{ name: 'book', args: { amount: amounts[1] } }] },
          { text: 'Done.' },
        ],
        store,
        ids: idsOf(name),
      });
    const first = await team(disk.store, [1, 2], 'a');
    const run = await first.launch();
    await breathe(8);
    expect(seen).toHaveLength(1);
    // The model says something else the second time, as models do.
    const second = await team(disk.afterPowerCut(), [3, 4], 'b');
    const again = await second.engine.resume(run.id);
    await again.settled();
    expect(served.size).toBeGreaterThan(1);
    // What was under way is done again under the key it had.
    expect(seen[1]).toBe(seen[0]);
    never.open();
    await first.engine.close();
    await second.engine.close();
  });
});

it('F67: the key of a request has its run in it, and its arguments; every attempt has the same', async () => {
  const keys: string[] = [];
  const team = await testEngine({
    profile: waitsForUser + allow('book'),
    tools: [tool('book', (_args, { idempotencyKey }) => void keys.push(idempotencyKey), { effect: 'idempotent' })],
    replies: ({ prompt }) =>
      JSON.stringify(prompt).includes('"role":"tool"')
        ? { text: 'Done.' }
        : { toolCalls: [1, 1, 2].map((amount) => ({ name: 'book', args: { amount } })) },
  });
  for (let count = 0; count < 2; count += 1) await (await team.launch()).settled();
  expect(new Set(keys).size).toBe(6);
  for (const key of keys) expect(key).toMatch(/^[\w.-]{1,140}$/);
  await team.engine.close();
});

it('F67: a launch whose sync fails is refused, and nothing of it begins', async () => {
  const disk = volatileDisk(true);
  const store: Journal = { ...disk.store, sync: () => Promise.reject(new Error('EIO: i/o error, fdatasync')) };
  const team = await testEngine({ profile: waitsForUser, store, replies: [{ hang: true }] });
  await expect(team.launch()).rejects.toMatchObject({ code: 'STORE_FAILED', message: expect.stringContaining('EIO') as string });
  await breathe();
  expect(team.model.requests).toEqual([]);
  expect(team.engine.live((await team.engine.runs())[0]?.runId ?? '')).toBeUndefined();
  await team.engine.close();
});
