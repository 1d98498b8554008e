import { afterEach, describe, expect, it } from 'vitest';
import type { AgentId, RunId } from '../../../src/core/ids.ts';
import { UiStream } from '../../../src/server/chat/ui-stream.ts';
import type { RunNews } from '../../../src/server/threads/follow-run.ts';
import { Threads } from '../../../src/server/threads/threads.ts';
import { gate, type TestEngine, testEngine, waitsForUser } from '../../support/test-engine.ts';

const closing: TestEngine[] = [];

afterEach(async () => {
  for (const { engine } of closing.splice(0)) await engine.close();
});

/** A reply with more deltas than a reader's queue holds. */
const pieces = Array.from({ length: 5_000 }, (_, index) => `${index} `);

function longReply() {
  return {
    parts: [
      { type: 'stream-start' as const, warnings: [] },
      { type: 'text-start' as const, id: 't' },
      ...pieces.map((delta) => ({ type: 'text-delta' as const, id: 't', delta })),
      { type: 'text-end' as const, id: 't' },
      {
        type: 'finish' as const,
        finishReason: { unified: 'stop' as const, raw: 'stop' },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
      },
    ],
  };
}

async function all(news: AsyncIterable<RunNews>): Promise<readonly RunNews[]> {
  const told: RunNews[] = [];
  for await (const each of news) told.push(each);
  return told;
}

function textIn(news: readonly RunNews[], root: string): string {
  const run = { runId: 'run' as RunId, createdAt: 0, parentRun: undefined };
  const stream = new UiStream(run, root as AgentId);
  let text = '';
  for (const chunk of news.flatMap((each) => stream.take(each))) {
    if (chunk.type === 'reset-step') text = '';
    if (chunk.type === 'text-delta') text += chunk.delta;
  }
  return text;
}

describe('following a run', () => {
  it('a slow reader never slows the run, and is told everything once', async () => {
    const held = gate();
    const team = await testEngine({ profile: waitsForUser, replies: [() => held.promise.then(longReply)] });
    closing.push(team);
    const run = await team.launch();
    const listening = new Threads(team.engine).listen(run);
    const slow = listening.follow({ after: 0, signal: new AbortController().signal });
    const news: RunNews[] = [];
    const first = await slow.next();
    if (first.done !== true) news.push(first.value);
    held.open();
    // It reads nothing while the run works, and the run ends nonetheless.
    await run.settled();
    for await (const each of slow) news.push(each);
    listening.stop();
    const seqs = news.flatMap((each) => (each.kind === 'event' ? [each.event.seq] : []));
    expect(seqs).toEqual(Array.from({ length: run.state.seq }, (_, index) => index + 1));
    expect(news.length).toBeLessThan(4_000);
    expect(textIn(news, run.state.rootAgentId ?? '')).toBe(pieces.join(''));
  });

  it('ends for who leaves, and says so when the run cannot go on here', async () => {
    const held = gate();
    const team = await testEngine({ profile: waitsForUser, replies: [() => held.promise.then(longReply)] });
    const run = await team.launch();
    const listening = new Threads(team.engine).listen(run);
    const left = new AbortController();
    const leaving = all(listening.follow({ after: 0, signal: left.signal }));
    const staying = all(listening.follow({ after: 0, signal: new AbortController().signal }));
    const failed = expect(staying).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
    left.abort();
    await leaving;
    held.open();
    await team.engine.close({ graceMs: 0 });
    await failed;
    listening.stop();
  });
});
