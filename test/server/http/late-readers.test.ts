import { expect, it } from 'vitest';
import type { Run } from '../../../src/index.ts';
import { RunFeed } from '../../../src/server/http/run-feed.ts';
import { FairQueue } from '../../../src/server/http/fair-queue.ts';
import { waitsForUser } from '../../support/test-engine.ts';
import type { TestEngineOptions } from '../../support/test-engine.ts';
import { openEvents } from './event-reader.ts';
import { servedTeam } from './served-team.ts';

const words = Array.from({ length: 40 }, (_, index) => `word${index} `);
const key = 'sk-canary-5d41402abc4b2a76b9719d911017c592';

/** A reply that pauses after its reasoning and this many words. */
function half(count: number): NonNullable<TestEngineOptions['replies']> {
  const parts = words.slice(0, count).map((delta) => ({ type: 'text-delta' as const, id: 't', delta }));
  return [
    {
      hang: true,
      cutAfter: parts.length + 2,
      parts: [{ type: 'stream-start', warnings: [] }, { type: 'text-start', id: 't' }, ...parts],
    },
  ];
}

async function inTheMiddle(run: Run): Promise<void> {
  await expect.poll(() => run.replies[0]?.deltas.map(({ text }) => text).join('').length ?? 0).toBeGreaterThan(0);
  // The scripted stream sends everything without a pause.
  await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Returns what a new reader gets of replies in progress, by turn and attempt. */
async function toldNow(url: string, until: string): Promise<ReadonlyMap<string, string>> {
  const reader = await openEvents(url);
  const told = new Map<string, string>();
  for await (const { event, data } of reader) {
    if (event !== 'delta') continue;
    const { attempt, text } = data['delta'] as { readonly attempt: number; readonly text: string };
    const place = `${String(data['turnId'])} ${attempt}`;
    told.set(place, (told.get(place) ?? '') + text);
    if ([...told.values()].some((said) => said.endsWith(until))) break;
  }
  reader.close();
  return told;
}

it('F62: a reader that comes in the middle of a reply, or comes back, is told it from its beginning', async () => {
  const { served, launch } = await servedTeam({ profile: waitsForUser, replies: half(30) });
  const run = await launch();
  await inTheMiddle(run);
  const whole = words.slice(0, 30).join('');
  const url = `${served.url}/api/runs/${run.id}/events`;
  for (const after of [0, 0, run.state.seq])
    expect([...(await toldNow(`${url}?after=${after}`, 'word29 ')).entries()]).toEqual([['Root_1.t1 1', whole]]);
  await run.cancel();
});

it('F62: of a reply that was retried, a late reader is told the attempt that is under way, and no other', async () => {
  const [cut, ...rest] = [...(half(9) as readonly object[]), ...(half(20) as readonly object[])];
  const { served, launch, clock } = await servedTeam({
    profile: waitsForUser,
    replies: [{ ...cut, hang: false, cutWith: 'reset' }, ...rest],
  });
  const run = await launch();
  await expect
    .poll(async () => {
      await clock.advance(60_000);
      return run.replies[0]?.deltas[0]?.attempt;
    })
    .toBe(2);
  await inTheMiddle(run);
  expect([...(await toldNow(`${served.url}/api/runs/${run.id}/events`, 'word19 ')).entries()]).toEqual([
    ['Root_1.t1 2', words.slice(0, 20).join('')],
  ]);
  await run.cancel();
});

it('F62: what is kept for late readers has no secrets, however they were cut and whoever watched', async () => {
  const text = ['The key is ', key.slice(0, 9), key.slice(9, 20), key.slice(20), ' and no more. '];
  const { served, launch } = await servedTeam({
    profile: waitsForUser,
    secrets: [key],
    replies: [
      {
        hang: true,
        cutAfter: text.length + 2,
        parts: [
          { type: 'stream-start', warnings: [] },
          { type: 'text-start', id: 't' },
          ...text.map((delta) => ({ type: 'text-delta' as const, id: 't', delta })),
        ],
      },
    ],
  });
  const run = await launch();
  await inTheMiddle(run);
  const [said = ''] = (await toldNow(`${served.url}/api/runs/${run.id}/events`, 'no more. ')).values();
  expect(said).toMatch(/^The key is .* and no more\. $/);
  expect(said).not.toContain(key.slice(0, 20));
  expect(JSON.stringify(run.replies)).not.toContain(key.slice(9, 20));
  await run.cancel();
});

it('F62: a reader that was too slow is told the reply again from its beginning, after it was told that something is missing', async () => {
  const long = 'x'.repeat(20_000);
  const parts = Array.from({ length: 60 }, (_, index) => ({ type: 'text-delta' as const, id: 't', delta: `${index}${long}` }));
  const held = Promise.withResolvers<void>();
  const { engine, launch } = await servedTeam({
    profile: waitsForUser,
    replies: [
      async () => {
        await held.promise;
        return {
          hang: true,
          cutAfter: 62,
          parts: [{ type: 'stream-start', warnings: [] }, { type: 'text-start', id: 't' }, ...parts],
        };
      },
    ],
  });
  const run = await launch();
  const feed = new RunFeed(engine, { runId: run.id, after: 0, queue: new FairQueue() });
  // Reads everything so far, then nothing while the reply arrives.
  while ((await feed.next()) !== 'wait');
  held.resolve();
  await inTheMiddle(run);
  let text = '';
  for (let next = await feed.next(); next !== 'wait' && next !== 'end'; next = await feed.next()) text += next.text;
  feed.close();
  expect(text.startsWith('event: lag\n')).toBe(true);
  expect(text.match(/event: lag/g)).toHaveLength(1);
  const said = [...text.matchAll(/^data: (\{"agentId".*)$/gm)].map(
    ([, data = '']) => JSON.parse(data) as { delta: { text: string } },
  );
  expect(said.map(({ delta }) => delta.text).join('')).toBe(parts.map(({ delta }) => delta).join(''));
  await run.cancel();
});

it('F62: a chat that is opened in the middle of a reply that nothing listened to has its beginning', async () => {
  const { served, launch } = await servedTeam({ profile: waitsForUser, replies: half(12) });
  const run = await launch();
  await inTheMiddle(run);
  const response = await fetch(`${served.url}/api/chat/${run.id}/stream`);
  let heard = '';
  const said = (): string =>
    [...heard.matchAll(/^data: (\{"type":"text-delta".*\})$/gm)]
      .map(([, data = '']) => (JSON.parse(data) as { delta: string }).delta)
      .join('');
  for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    heard += chunk;
    if (said().endsWith('word11 ')) break;
  }
  expect(said()).toBe(words.slice(0, 12).join(''));
  await run.cancel();
});
