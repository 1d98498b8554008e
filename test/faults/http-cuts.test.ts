import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { expect, it } from 'vitest';
import { startFakeProvider, streamAnswer } from '../models/fake-provider.ts';
import { testEngine } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';
import { closingReply, recordings } from './recordings.ts';

const cuts = recordings
  .filter(({ protocol, calls, finish }) => protocol === 'chat' && calls.length > 0 && finish === 'tool_calls')
  .flatMap((recording) => [0.15, 0.3, 0.45, 0.6, 0.7].map((share) => [recording.name, share, recording] as const));

it.each(cuts)('M5: over a real socket, %s, cut after %d of it: closed or reset, nothing runs', async (_name, share, recording) => {
  const start = recording.body.slice(0, Math.floor(recording.body.length * share));
  for (const ending of ['end', 'reset'] as const) {
    await using provider = await startFakeProvider([streamAnswer(start, ending), streamAnswer(closingReply.chat)]);
    const ran: unknown[] = [];
    const team = await testEngine({
      profile: allow('pay', 'note', 'look'),
      tools: ['pay', 'note', 'look'].map((name) => tool(name, (args) => ran.push(args))),
      models: { m: createOpenAICompatible({ name: 'local', baseURL: provider.baseUrl, apiKey: 'none' })('served') },
      // No wait between attempts: time stands still.
      random: () => 0,
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ outcome: 'success', output: 'done' });
    expect(ran).toEqual([]);
    expect(run.turns()[0]?.attempts.map(({ error }) => error?.code)).toEqual([
      expect.stringMatching(/^MODEL_(STREAM_CUT|BAD_RESPONSE|UNAVAILABLE)$/),
      undefined,
    ]);
    expect(provider.bodies).toHaveLength(2);
    await verifyRun(run, team.journal);
    await team.engine.close();
  }
});
