import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { manualClock } from '../../src/testing/index.ts';
import { testEngine } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';

/** How one thing that hangs ended, without any configuration. */
export interface HangEnd {
  readonly what: string;
  readonly ended: boolean;
  readonly code: string;
  /** Time that passed on the run's clock. */
  readonly seconds: number;
}

/** Lets a tool, a connection and two streams hang, and time pass until the run has ended by itself. */
export async function hangs(): Promise<readonly HangEnd[]> {
  return [
    await ended('a tool that never ends', [{ toolCalls: [{ name: 'hangs', args: {} }] }, { text: 'over' }]),
    await ended('a model that never answers', () => ({ hang: true })),
    await ended('a stream that stalls', () => ({ text: 'one two three', cutAfter: 2, hang: true })),
    await ended('a stream without end', [], endless()),
  ];
}

async function ended(
  what: string,
  replies: NonNullable<Parameters<typeof testEngine>[0]>['replies'],
  model?: LanguageModelV4,
): Promise<HangEnd> {
  const clock = manualClock();
  const team = await testEngine({
    profile: allow('hangs'),
    clock,
    tools: [tool('hangs', () => new Promise(() => undefined))],
    replies: replies ?? [],
    ...(model === undefined ? {} : { models: { m: model } }),
  });
  const run = await team.launch();
  const begin = clock.monotonic();
  for (let waited = 0; waited < 8 * 3_600 && run.state.outcome === undefined; waited += 1) await clock.advance(1_000);
  const seconds = (clock.monotonic() - begin) / 1_000;
  const told = run.turns()[0]?.toolInteractions[0]?.error?.code;
  return { what, ended: run.state.outcome !== undefined, code: told ?? run.state.error?.code ?? '', seconds };
}

/** A stream that goes on and on, one word in each tick of the event loop. */
function endless(): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'trust',
    modelId: 'endless',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('this model streams')),
    doStream: ({ abortSignal }) => {
      const stream = new ReadableStream<LanguageModelV4StreamPart>({
        start(controller) {
          controller.enqueue({ type: 'stream-start', warnings: [] });
          controller.enqueue({ type: 'text-start', id: 't' });
        },
        async pull(controller) {
          await new Promise((resolve) => setImmediate(resolve));
          if (abortSignal?.aborted === true) controller.error(abortSignal.reason);
          else controller.enqueue({ type: 'text-delta', id: 't', delta: 'on and on, ' });
        },
      });
      return Promise.resolve({ stream });
    },
  };
}
