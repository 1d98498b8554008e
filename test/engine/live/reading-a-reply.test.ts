import type { LanguageModelV4 } from '@ai-sdk/provider';
import { expect, it } from 'vitest';
import type { AroundCall } from '../../../src/core/tool/around-call.ts';
import { breathe, gate, testEngine, waitsForUser } from '../../support/test-engine.ts';

/** A model whose reply a test says piece by piece. */
function spokenModel() {
  let out: ReadableStreamDefaultController<unknown> | undefined;
  const model = {
    specificationVersion: 'v4',
    provider: 'test',
    modelId: 'spoken',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('it streams')),
    doStream: () =>
      Promise.resolve({
        stream: new ReadableStream({
          start: (controller) => {
            out = controller;
            controller.enqueue({ type: 'text-start', id: 't' });
          },
        }),
      }),
  } as unknown as LanguageModelV4;
  return {
    model,
    say: async (delta: string) => {
      out?.enqueue({ type: 'text-delta', id: 't', delta });
      await breathe(6);
    },
    finish: () => {
      const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
      out?.enqueue({ type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage });
      out?.close();
    },
  };
}

it('what a model says after its call was given up is not passed on, so no half of a secret is', async () => {
  const { model, say } = spokenModel();
  const early = gate();
  const team = await testEngine({
    profile: waitsForUser,
    secrets: ['sk-live-9fQ2Lm4WzR8c'],
    models: { m: model },
    // It breaks its promise to return what the work returns, as a time limit of one's own does.
    aroundCall: ((_call, work: () => unknown) =>
      Promise.race([work(), early.promise.then(() => Promise.reject(new Error('too slow')))])) as AroundCall,
  });
  const run = await team.launch('Go.');
  await breathe();
  await say('I use sk-live-9f');
  early.open();
  await breathe(10);
  const got: string[] = [];
  run.subscribe({ onDelta: (_agent, _turn, { text }) => void got.push(text) });
  await say('Q2Lm4WzR8c');
  await say(' done.');
  expect([run.replies, got]).toEqual([[], []]);
  await team.engine.close();
});

it('who subscribes in a callback has each piece once: in the reply so far, or afterwards', async () => {
  const { model, say, finish } = spokenModel();
  const team = await testEngine({ profile: waitsForUser, models: { m: model } });
  const run = await team.launch('Go.');
  await breathe();
  let read = '';
  let isRead = false;
  run.subscribe({
    onDelta: () => {
      if (isRead) return;
      isRead = true;
      for (const { deltas } of run.replies) for (const { text } of deltas) read += text;
      run.subscribe({ onDelta: (_agent, _turn, { text }) => void (read += text) });
    },
  });
  await say('Hello');
  await say(' world');
  finish();
  await run.settled();
  expect(read).toBe('Hello world');
  await team.engine.close();
});
