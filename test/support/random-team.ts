import fc from 'fast-check';
import type { GivenTool } from '../../src/index.ts';
import type { ScriptedReply } from '../../src/testing/index.ts';
import { askPerson } from './ask-person.ts';
import { delegate } from './delegate.ts';
import { deciders, observers } from './random-profiles.ts';
import { allow, tool, type TestTool } from './tools.ts';

/** Something that happens to a run from outside. */
export type Step =
  | {
      readonly kind: 'send';
      readonly source: string;
      readonly to: number;
      readonly priority: 'now' | 'next' | 'idle';
      readonly stays: boolean;
    }
  | { readonly kind: 'pause'; readonly rounds: number }
  | { readonly kind: 'time'; readonly ms: number }
  | {
      readonly kind: 'decide';
      readonly verdict: 'approve' | 'reject' | 'answer';
      readonly which: number;
      /** The argument a person puts in place of the call's. */
      readonly n?: number;
    }
  | { readonly kind: 'cancel'; readonly agent: number }
  | { readonly kind: 'restart' };

const toolNames = [
  'sync',
  'async',
  'throws',
  'hangs',
  'serial',
  'exclusive',
  'finish',
  'only',
  'gated',
  'fs.dotted',
  'posts',
  'pure',
  'delegate',
  'ask_person',
] as const;

const call = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      name: fc.constantFrom(...toolNames.filter((name) => name !== 'delegate')),
      args: fc.record({ n: fc.nat(3) }),
      id: fc.constantFrom('p1', 'p2', ''),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ name: 'delegate', args: { to: 'Worker' }, id: 'p1' }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { name: 'unknown', args: {}, id: 'p1' },
      { name: 'functions.sync', args: {}, id: 'p1' },
      { name: '', args: {}, id: 'p1' },
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('{"n":', 'null', '', '[]', 'n: 1', '{"n":"x"}', '{"n":1,"__proto__":{}}')
      .map((input) => ({ name: 'strict', input, id: 'p1' })),
  },
);

/** One reply of a model: words, calls, both, nothing, or a fault. */
export const reply: fc.Arbitrary<ScriptedReply> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({ toolCalls: fc.array(call, { minLength: 1, maxLength: 4 }), text: fc.constantFrom('', 'calling', ' ') }),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom({ text: 'words' }, { text: 'more words' }, { text: '' }, { text: '  \n' }, { text: '\ud800 odd' }),
  },
  { weight: 1, arbitrary: call.map((made) => ({ text: 'long', toolCalls: [made], finishReason: 'length' })) },
  {
    weight: 1,
    arbitrary: fc
      .nat(5)
      .chain((cutAfter) =>
        fc
          .constantFrom('end' as const, 'error' as const, 'reset' as const)
          .map((cutWith) => ({ text: 'cut', toolCalls: [{ name: 'sync', args: {} }], cutAfter, cutWith })),
      ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom({ error: { status: 500 } }, { hang: true }, { text: 'filtered', finishReason: 'content-filter' }),
  },
);

/** One event in the course of a run. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      source: fc.constantFrom('USER_PROMPT', 'NEWS', 'SELF_REFLECTION_PROMPT', 'INTERNAL_DIRECTIVE', 'BAD'),
      to: fc.nat(2),
      priority: fc.constantFrom('now' as const, 'next' as const, 'idle' as const),
      stays: fc.boolean(),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('pause' as const), rounds: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('time' as const), ms: fc.constantFrom(10, 1_000, 3_000, 60_000) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('decide' as const),
      verdict: fc.constantFrom('approve' as const, 'reject' as const, 'answer' as const),
      which: fc.nat(3),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), agent: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
);

/** The profiles of a random team, by the number of the root's and the worker's decider. */
export function randomProfiles(root: number, worker: number): Readonly<Record<string, string>> {
  const rest = `${allow(...toolNames, 'strict')}limits: { max_turns: 8, max_children: 4, max_depth: 3 }\ntool_gates: [{ id: gate, tools: [gated], condition: args.n != 0, verdict: ask }, { id: no, tools: [pure], condition: args.n == 3, verdict: deny }]\ninbox_handling_strategies: [{ source: BAD, ingestor: bad }]\n${observers}`;
  const decider = (which: number): string => `${deciders[which % deciders.length] ?? ''}\n`;
  return { Root: decider(root) + rest, Worker: decider(worker) + rest };
}

/** Number of deciders. */
export const deciderCount: number = deciders.length;

/** The tools of a random team; `ran` counts executions per call. */
export function randomTools(ran: Map<string, number>): readonly GivenTool[] {
  const counted = (name: string, execute: TestTool['execute'], options: Readonly<Record<string, unknown>> = {}): TestTool =>
    tool(
      name,
      (args, context) => {
        ran.set(context.toolCallId, (ran.get(context.toolCallId) ?? 0) + 1);
        return execute(args, context);
      },
      { timeout_ms: 2_000, ...options },
    );
  const later = async (value: unknown): Promise<unknown> => {
    await new Promise((resolve) => setImmediate(resolve));
    return value;
  };
  return [
    counted('sync', ({ n }) => (n === 0 ? '' : n === 1 ? undefined : { n })),
    counted('async', ({ n }) => later(`async ${String(n)}`)),
    counted('throws', ({ n }) => {
      throw n === 0 ? undefined : n === 1 ? new Error('no') : 'text';
    }),
    counted('hangs', () => new Promise(() => undefined)),
    counted('serial', ({ n }) => (n === 0 ? 'at once' : later('serial')), { concurrency: 'serial' }),
    counted('exclusive', () => later('exclusive'), { concurrency: 'exclusive' }),
    counted(
      'finish',
      ({ n }) => {
        if (n !== 3) throw new Error('not yet');
        return 'finished';
      },
      { ends_flow: true },
    ),
    counted('only', () => 'only', { exclusive: true }),
    counted('gated', () => later('gated')),
    counted('fs.dotted', () => 'x'.repeat(300), { max_result_chars: 100 }),
    counted('posts', ({ n }) => ({
      content: 'posted',
      items: [{ source: n === 0 ? 'TOOL_RESULT' : 'NEWS', payload: { tool_call_id: 'c00000001' } }],
    })),
    counted('pure', () => later('pure'), { effect: 'pure' }),
    {
      ...counted('strict', () => 'strict'),
      parameters: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    },
    delegate,
    askPerson,
  ];
}
