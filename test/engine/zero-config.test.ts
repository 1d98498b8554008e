import { describe, expect, it } from 'vitest';
import type { ScriptedReplyFunction } from '../../src/models/scripted/scripted-replies.ts';
import { delegate } from '../support/delegate.ts';
import { breathe, testEngine, type TestEngineOptions } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const look = tool('look', () => 'nothing new');
const calls =
  (name: string, args: object = {}): ScriptedReplyFunction =>
  () => ({ toolCalls: [{ name, args: args as never }] });
const hour = 3_600_000;

/** Nothing of these is configured: no limit, no deadline, no bound. */
const faults: readonly (readonly [string, TestEngineOptions])[] = [
  ['a model that cannot be reached', { replies: () => ({ hang: true }) }],
  ['a stream that falls silent', { replies: () => ({ text: 'one two three', hang: true, cutAfter: 2 }) }],
  ['a stream that never ends', { models: { m: endlessStream() } }],
  [
    'a tool that hangs, called again and again',
    { profile: allow('hang'), tools: [tool('hang', () => new Promise(() => undefined))], replies: calls('hang') },
  ],
  ['a tool called for ever', { profile: allow('look'), tools: [look], replies: calls('look') }],
  [
    'an observer that wakes its agent for ever',
    {
      profile:
        'pre_turn_observers: [{ id: o, action: { type: add_to_inbox, inbox_item: { source: NEWS, payload: again } } }]\nflow_decider: [{ id: w, action: { type: await, on: [NEWS] } }]\npost_turn_observers: [{ id: p, action: { type: add_to_inbox, inbox_item: { source: NEWS, payload: again } } }]',
      replies: () => ({ text: 'hm' }),
    },
  ],
  [
    'a decider that loops for ever',
    {
      profile: 'flow_decider: [{ id: l, action: { type: loop_with_inbox_item, payload: { content: Go on. } } }]',
      replies: () => ({ text: 'hm' }),
    },
  ],
  ['agents that start agents', { profile: allow('delegate'), tools: [delegate], replies: calls('delegate', { to: 'Root' }) }],
  [
    'a function in the place of a model that never answers',
    { profile: 'function_node: never', functions: { never: () => new Promise(() => undefined) } },
  ],
];

describe('every wait has a deadline, every loop a bound, with nothing configured (N7)', () => {
  it.each(faults)('%s: the run ends by itself', async (_what, options) => {
    const team = await testEngine(options);
    const run = await team.launch();
    for (let hops = 0; hops < 5_000 && run.state.outcome === undefined; hops += 1) {
      await breathe(1);
      const { nextIn, nextBackgroundIn } = team.clock;
      const next = nextIn ?? nextBackgroundIn;
      if (next !== undefined && run.state.outcome === undefined && hops % 4 === 3) await team.clock.advance(next);
    }
    const result = await run.result;
    expect(['error', 'limit', 'stagnation']).toContain(result.outcome);
    expect(result.error).toBeDefined();
    expect(team.clock.monotonic()).toBeLessThan(5 * hour);
    expect(team.clock.timers).toBe(0);
    expect(team.clock.nextBackgroundIn).toBeUndefined();
    await verifyRun(run, team.journal);
  });
});

/** A model object that says something every second and never comes to an end; only an abort stops it. */
function endlessStream(): unknown {
  return {
    specificationVersion: 'v4',
    provider: 'endless',
    modelId: 'endless',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('streams only')),
    doStream: ({ abortSignal }: { readonly abortSignal: AbortSignal }) =>
      Promise.resolve({
        stream: new ReadableStream({
          start(controller) {
            controller.enqueue({ type: 'stream-start', warnings: [] });
            controller.enqueue({ type: 'text-start', id: 't' });
          },
          async pull(controller) {
            await new Promise((resolve) => setImmediate(resolve));
            if (abortSignal.aborted) controller.close();
            else controller.enqueue({ type: 'text-delta', id: 't', delta: 'and on it goes '.repeat(200) });
          },
        }),
      }),
  };
}
