import { describe, expect, it } from 'vitest';
import type { Run } from '../../src/index.ts';
import { manualClock, type ScriptedReply } from '../../src/testing/index.ts';
import { breathe, testEngine, type TestEngine } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';
import { callDelta, chatStream, wireKey, wireModel, type WireAnswer } from './wire-model.ts';

interface Seen {
  readonly team: TestEngine;
  readonly run: Run;
  /** The arguments the tool ran with, as JSON. */
  readonly ran: readonly string[];
}

async function engineWith(models: Readonly<Record<string, unknown>>, replies: readonly ScriptedReply[]): Promise<Seen> {
  const ran: string[] = [];
  const pay = tool('pay', (args) => {
    ran.push(JSON.stringify(args));
    return 'paid';
  });
  const team = await testEngine({ profile: allow('pay'), tools: [pay], replies, models, random: () => 0.5 });
  return { team, run: await team.launch(), ran };
}

/** Lets the clock run from timer to timer until the run is over. */
async function runThroughTime({ team, run }: Seen): Promise<number> {
  for (let hops = 0; hops < 2_000 && run.state.outcome === undefined; hops += 1) {
    await breathe(1);
    const { nextIn } = team.clock;
    if (nextIn !== undefined && run.state.outcome === undefined) await team.clock.advance(nextIn);
  }
  return team.clock.monotonic();
}

const minutes = 60_000;
const call = { name: 'pay', args: { amount: 10 } };
const always = (reply: ScriptedReply): readonly ScriptedReply[] => Array.from({ length: 40 }, () => reply);
const http = (status: number, headers: Readonly<Record<string, string>> = {}, message = 'no'): ScriptedReply => ({
  error: { status, message, headers },
});

/** A stream that never ends: a word, again and again, with time in between. */
const heartbeats = Array.from({ length: 5_000 }, () => ({ type: 'text-delta' as const, id: 't', delta: 'on and ' }));

describe('model errors by the clock: the code, the attempts, and a bound to the wait, with nothing configured', () => {
  it.each<[string, readonly ScriptedReply[], string, number, number]>([
    ['M1: 429 without retry-after', always(http(429)), 'MODEL_RATE_LIMITED', 26, 15 * minutes],
    ['M1: 429 with retry-after in seconds', always(http(429, { 'retry-after': '20' })), 'MODEL_RATE_LIMITED', 24, 15 * minutes],
    [
      'M1: 429 with retry-after as a date',
      always(http(429, { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' })),
      'MODEL_RATE_LIMITED',
      26,
      15 * minutes,
    ],
    [
      'M1: 429 with an absurd retry-after of 1e9 s',
      always(http(429, { 'retry-after': '1000000000' })),
      'MODEL_RATE_LIMITED',
      15,
      15 * minutes,
    ],
    ['M2: 500', always(http(500)), 'MODEL_UNAVAILABLE', 3, minutes],
    ['M2: 503', always(http(503)), 'MODEL_UNAVAILABLE', 26, 15 * minutes],
    ['M2: 529', always(http(529)), 'MODEL_UNAVAILABLE', 26, 15 * minutes],
    ['M3: 400', always(http(400)), 'MODEL_REJECTED', 1, 0],
    ['M3: 403', always(http(403)), 'MODEL_REJECTED', 1, 0],
    ['M3: 404', always(http(404)), 'MODEL_REJECTED', 1, 0],
    ['M3: 413', always(http(413)), 'MODEL_CONTEXT_TOO_LONG', 1, 0],
    ['M4: no answer at all', always({ hang: true }), 'MODEL_TIMEOUT', 3, 7 * minutes],
    ['M4: no first token', always({ text: 'x', hang: true, cutAfter: 1 }), 'MODEL_TIMEOUT', 3, 7 * minutes],
    ['M4: silence between chunks', always({ text: 'one two three', hang: true, cutAfter: 3 }), 'MODEL_TIMEOUT', 3, 4 * minutes],
    ['M4: a model that takes no notice of aborts', always({ hang: true, ignoreAbort: true }), 'MODEL_TIMEOUT', 3, 7 * minutes],
    ['M5: the connection is reset', always({ text: 'a b c', cutAfter: 3, cutWith: 'reset' }), 'MODEL_STREAM_CUT', 3, minutes],
  ])('%s', async (_name, replies, code, attempts, longest) => {
    const seen = await engineWith({}, replies);
    const took = await runThroughTime(seen);
    expect(await seen.run.result).toMatchObject({ status: 'failed', outcome: 'error', error: { code } });
    expect(seen.run.turns()[0]?.attempts.map(({ error }) => error?.code)).toEqual(Array.from({ length: attempts }, () => code));
    expect(seen.team.model.requests).toHaveLength(attempts);
    expect(took).toBeLessThanOrEqual(longest);
    expect(seen.ran).toEqual([]);
    await verifyRun(seen.run, seen.team.journal, { requests: seen.team.model.requests });
  });

  it('M4: a stream that goes on for ever is over after a quarter of an hour', async () => {
    const clock = manualClock();
    const endless = {
      specificationVersion: 'v4',
      provider: 'test',
      modelId: 'endless',
      doStream: () => {
        let sent = 0;
        let isOver = false;
        const pull = (controller: ReadableStreamDefaultController): Promise<void> =>
          new Promise((resolve) => {
            clock.setTimer(10_000, () => {
              if (!isOver) controller.enqueue(heartbeats[(sent += 1)]);
              resolve();
            });
          });
        const cancel = (): void => {
          isOver = true;
        };
        return Promise.resolve({ stream: new ReadableStream({ pull, cancel }, { highWaterMark: 0 }) });
      },
    };
    const team = await testEngine({ models: { m: endless }, clock });
    const run = await team.launch();
    const took = await runThroughTime({ team, run, ran: [] });
    expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'MODEL_TIMEOUT' } });
    expect(run.turns()[0]?.attempts).toHaveLength(1);
    expect(run.turns()[0]?.attempts[0]?.partialText).toContain('on and on and');
    expect(took).toBeLessThanOrEqual(16 * minutes);
  });

  it.each<[string, ScriptedReply, number]>([
    ['M1: 429 once', http(429), 10_000],
    ['M1: 429 once, with retry-after in seconds', http(429, { 'retry-after': '7' }), 8_000],
    ['M2: 500 once', http(500), 10_000],
    ['M4: one silence before the first token', { text: 'x', hang: true, cutAfter: 1 }, 3 * minutes],
    ['M5: one reset after a complete call', { toolCalls: [call], cutAfter: 2, cutWith: 'reset' }, 10_000],
    ['M5: one polite end after a complete call', { toolCalls: [call], cutAfter: 2 }, 10_000],
  ])('%s heals: the failed attempt is on record, and the tool runs once', async (_name, fault, longest) => {
    const seen = await engineWith({}, [fault, { toolCalls: [call] }, { text: 'done' }]);
    const took = await runThroughTime(seen);
    expect(await seen.run.result).toMatchObject({ status: 'completed', output: 'done' });
    expect(seen.run.turns()[0]?.attempts).toHaveLength(2);
    expect(seen.run.turns()[0]?.attempts[0]?.error).toBeDefined();
    expect(took).toBeLessThanOrEqual(longest);
    expect(seen.ran).toEqual(['{"amount":10}']);
    await verifyRun(seen.run, seen.team.journal, { requests: seen.team.model.requests });
  });
});

interface WireCase {
  readonly answers: readonly WireAnswer[];
  /** The code of the run's error; absent when the run ends well. */
  readonly code?: string;
  readonly output?: string;
  /** Attempts of the first turn. */
  readonly attempts: number;
  readonly ran?: readonly string[];
}

const done = chatStream([{ content: 'done' }]);
const plain = (status: number, type: string, body: string) => () =>
  new Response(body, { status, headers: { 'content-type': type } });
const words = (usage: unknown) => [chatStream([{ content: 'fine' }], 'stop', usage)];
const half = 'data: {"id":"r","choices":[{"index":0,"delta":{"content":"Hal"},"finish_reason":null}]}\n\n';
const wholeCall = callDelta(0, 'c1', 'pay', '{"amount":10}');

const wireCases: Readonly<Record<string, WireCase>> = {
  'M14: a body that is no JSON': { answers: ['data: {"id":"r","choi\n\n'], code: 'MODEL_BAD_RESPONSE', attempts: 3 },
  'M14: an HTML page with status 200': {
    answers: [plain(200, 'text/html', '<html>Sign in</html>')],
    code: 'MODEL_BAD_RESPONSE',
    attempts: 3,
  },
  'M14: plain JSON with status 200': {
    answers: [plain(200, 'application/json', '{"choices":[]}')],
    code: 'MODEL_BAD_RESPONSE',
    attempts: 3,
  },
  'M12: no choices': { answers: ['data: {"id":"r","choices":[]}\n\ndata: [DONE]\n\n'], code: 'MODEL_BAD_RESPONSE', attempts: 3 },
  'M12: null content': { answers: [chatStream([{ content: null }]), done], output: 'done', attempts: 2 },
  'M12: an empty reply once': { answers: [chatStream([]), done], output: 'done', attempts: 2 },
  'M12: an empty reply, always': { answers: [chatStream([])], code: 'AGENT_FAILED', attempts: 2 },
  'M12: whitespace only, always': { answers: [chatStream([{ content: ' \n\t ' }])], code: 'AGENT_FAILED', attempts: 2 },
  'M12: thinking only, always': { answers: [chatStream([{ reasoning_content: 'hm' }])], code: 'AGENT_FAILED', attempts: 2 },
  'M5: a stream cut inside its text': { answers: [half, done], output: 'done', attempts: 2 },
  'M5: a stream cut inside the arguments': {
    answers: [chatStream([callDelta(0, 'c1', 'pay', '{"amount": 1')], null), done],
    output: 'done',
    attempts: 2,
  },
  'M5: a stream cut after a complete call': { answers: [chatStream([wholeCall], null), done], output: 'done', attempts: 2 },
  'M6: an unheard-of finish reason': { answers: [chatStream([wholeCall], 'tired'), done], output: 'done', attempts: 2 },
  'M13: a content filter in the middle of a reply with a call': {
    answers: [chatStream([{ content: 'I ' }, wholeCall], 'content_filter')],
    code: 'MODEL_REFUSED',
    attempts: 1,
  },
  'M7: length inside a text, once': {
    answers: [chatStream([{ content: 'Half an ans' }], 'length'), done],
    output: 'done',
    attempts: 1,
  },
  'M7: length inside a text, always': {
    answers: [chatStream([{ content: 'Half an ans' }], 'length')],
    code: 'AGENT_FAILED',
    attempts: 1,
  },
  'M7: length inside a call': {
    answers: [chatStream([callDelta(0, 'c1', 'pay', '{"amount": 1')], 'length'), done],
    output: 'done',
    attempts: 1,
  },
  'M7: length after a call that looks complete': {
    answers: [chatStream([callDelta(0, 'c1', 'pay', '{"amount": 1}')], 'length'), done],
    output: 'done',
    attempts: 1,
  },
  'M11: the same call id twice in one reply': {
    answers: [chatStream([wholeCall, callDelta(1, 'c1', 'pay', '{"amount":20}')], 'tool_calls'), done],
    output: 'done',
    attempts: 1,
    ran: ['{"amount":10}', '{"amount":20}'],
  },
  'M11: a call without an id': {
    answers: [chatStream([callDelta(0, undefined, 'pay', '{"amount":10}')], 'tool_calls'), done],
    output: 'done',
    attempts: 1,
    ran: ['{"amount":10}'],
  },
  'M11: an id that an earlier turn had': {
    answers: [chatStream([wholeCall], 'tool_calls'), chatStream([wholeCall], 'tool_calls'), done],
    output: 'done',
    attempts: 1,
    ran: ['{"amount":10}', '{"amount":10}'],
  },
  'M15: 3 MB of text': {
    answers: [chatStream(Array.from({ length: 300 }, () => ({ content: 'x'.repeat(10_000) })))],
    code: 'MODEL_OUTPUT_TOO_LARGE',
    attempts: 1,
  },
  'M15: 2,000 calls': {
    answers: [
      chatStream(
        Array.from({ length: 2_000 }, (_, n) => callDelta(n, `c${n}`, 'pay', '{}')),
        'tool_calls',
      ),
    ],
    code: 'MODEL_OUTPUT_TOO_LARGE',
    attempts: 1,
  },
  'M16: no usage': { answers: [done], output: 'done', attempts: 1 },
  'M16: a negative usage': { answers: words({ prompt_tokens: -5, completion_tokens: -1 }), output: 'fine', attempts: 1 },
  'M16: a usage beyond any number, which the provider package refuses': {
    answers: [
      chatStream([{ content: 'fine' }], 'stop', { prompt_tokens: 1 }).replace('"prompt_tokens":1', '"prompt_tokens":1e999'),
    ],
    code: 'MODEL_STREAM_CUT',
    attempts: 3,
  },
  'M16: a usage of nulls': { answers: words({ prompt_tokens: null, completion_tokens: null }), output: 'fine', attempts: 1 },
  'M3: 401 whose message repeats the key': {
    answers: [plain(401, 'application/json', JSON.stringify({ error: { message: `bad key ${wireKey}` } }))],
    code: 'MODEL_REJECTED',
    attempts: 1,
  },
  'M3: 400, the context is too long': {
    answers: [plain(400, 'application/json', '{"error":{"message":"too long","code":"context_length_exceeded"}}')],
    code: 'MODEL_CONTEXT_TOO_LONG',
    attempts: 1,
  },
};

describe('model errors on the wire, through a provider package', () => {
  it.each(Object.entries(wireCases))('%s', async (_name, { answers, code, output, attempts, ran = [] }) => {
    const wire = wireModel(answers);
    const seen = await engineWith({ m: wire.model }, []);
    const { team, run } = seen;
    // Waits between attempts pass as soon as they are set; what travels in this process needs no time.
    for (let hops = 0; hops < 500 && run.state.outcome === undefined; hops += 1) {
      await breathe(3);
      if (run.state.outcome === undefined && (team.clock.nextIn ?? Infinity) <= 10_000) await team.clock.advance(10_000);
    }
    const result = await run.result;
    if (code === undefined) expect(result).toMatchObject({ status: 'completed', outcome: 'success', output });
    else expect(result).toMatchObject({ status: 'failed', outcome: 'error', error: { code } });
    const turns = run.turns();
    expect(turns[0]?.attempts).toHaveLength(attempts);
    expect(turns.flatMap((turn) => turn.attempts)).toHaveLength(wire.requests());
    expect(seen.ran.toSorted()).toEqual(ran.toSorted());
    const events = await verifyRun(run, team.journal);
    expect(JSON.stringify(events)).not.toContain(wireKey);
    expect(JSON.stringify(events).length).toBeLessThan(2_500_000);
  });

  it('M17: lone surrogates, NUL and escape sequences are kept as sound text', async () => {
    const wire = wireModel([
      chatStream([{ content: 'a\u0000b \u001b[31mred\u001b[0m ' }]).replace('a\\u0000b', 'a\\u0000b \\ud800'),
    ]);
    const { team, run } = await engineWith({ m: wire.model }, []);
    const result = await run.result;
    expect(result).toMatchObject({ status: 'completed', output: 'a\u0000b \ufffd \u001b[31mred\u001b[0m ' });
    const events = await verifyRun(run, team.journal);
    expect(JSON.stringify(events)).toBe(JSON.stringify(JSON.parse(JSON.stringify(events))));
  });
});
