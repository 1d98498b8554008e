import type { JsonObject, RunResult, TurnRecord } from '../../src/index.ts';
import { callDelta, chatStream, type WireAnswer } from './wire-model.ts';

/** What is looked at after a run of the table. */
export interface TableRun {
  readonly result: RunResult;
  readonly turns: readonly TurnRecord[];
  /** Arguments each tool ran with, by tool. */
  readonly ran: Readonly<Record<string, readonly JsonObject[]>>;
  readonly requests: number;
  /** Milliseconds on the run's clock. */
  readonly took: number;
}

/** One row: what the provider or a tool does, and what must hold of the run. */
export interface TableRow {
  readonly fault: string;
  readonly answers: readonly WireAnswer[];
  readonly holds: (run: TableRun) => boolean;
}

const done = chatStream([{ content: 'done' }]);
const pay = (args: string, finish: string | null = 'tool_calls'): string => chatStream([callDelta(0, 'c1', 'pay', args)], finish);
const one = (name: string, args = '{}'): string => chatStream([callDelta(0, 'c1', name, args)], 'tool_calls');
const status = (code: number) => (): Response =>
  new Response('{"error":{"message":"no"}}', { status: code, headers: { 'content-type': 'application/json' } });
const html = (): Response => new Response('<html>Sign in</html>', { headers: { 'content-type': 'text/html' } });

/** A stream that sends this much, and then breaks, or says nothing more. */
const broken = (text: string, ending: 'reset' | 'silence') => (): Response => {
  const pieces = [new TextEncoder().encode(text)];
  const body = new ReadableStream({
    pull(controller) {
      const piece = pieces.shift();
      if (piece !== undefined) return controller.enqueue(piece);
      if (ending === 'reset') return controller.error(Object.assign(new TypeError('terminated'), { code: 'ECONNRESET' }));
      return new Promise<void>(() => undefined);
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
};

const half = 'data: {"id":"r","choices":[{"index":0,"delta":{"content":"Half"},"finish_reason":null}]}\n\n';

/** The run went on to its answer, and this tool did not run. */
const refused =
  (tool: string) =>
  ({ result, ran, turns }: TableRun): boolean =>
    result.output === 'done' && ran[tool] === undefined && turns[0]?.toolInteractions[0]?.error !== undefined;

/** The run went on to its answer after attempts that are on record with their errors. */
const healed =
  (failed: number) =>
  ({ result, ran, turns }: TableRun): boolean =>
    result.output === 'done' &&
    Object.keys(ran).length === 0 &&
    turns[0]?.attempts.filter(({ error }) => error !== undefined).length === failed;

/** The run ended in this error, and no tool ran. */
const failed =
  (code: string, longest = 600_000) =>
  ({ result, ran, took }: TableRun): boolean =>
    result.status === 'failed' && result.error?.code === code && Object.keys(ran).length === 0 && took <= longest;

/** The tool's call was answered with this, and the run went on. */
const answered =
  (pattern: RegExp, statusWanted: string) =>
  ({ result, turns }: TableRun): boolean => {
    const made = turns[0]?.toolInteractions[0];
    return result.output === 'done' && made?.status === statusWanted && pattern.test(JSON.stringify(made.content));
  };

const ranOnce = (tool: string, args: JsonObject, { result, ran }: TableRun): boolean =>
  result.output === 'done' && JSON.stringify(ran) === JSON.stringify({ [tool]: [args] });

/** The rows of the comparison: what engines of this kind are put through, each with the behaviour that counts as right. */
export const faultTable: readonly TableRow[] = [
  { fault: 'malformed JSON arguments', answers: [pay('{"amount": ten}'), done], holds: refused('pay') },
  { fault: 'malformed JSON arguments that look cut', answers: [pay('{"amount": 1'), done], holds: refused('pay') },
  {
    fault: 'malformed arguments of a tool whose arguments are optional',
    answers: [one('opt', '{"x": 1'), done],
    holds: refused('opt'),
  },
  {
    fault: 'finish_reason length inside the arguments',
    answers: [pay('{"amount": 1', 'length'), done],
    holds: ({ result, ran }) => result.output === 'done' && ran['pay'] === undefined,
  },
  { fault: 'the stream is closed politely inside the arguments', answers: [pay('{"amount": 1', null), done], holds: healed(1) },
  {
    fault: 'empty arguments for a tool that takes none',
    answers: [one('look', ''), done],
    holds: (run) => ranOnce('look', {}, run),
  },
  { fault: 'arguments that are no object', answers: [pay('"rm -rf"'), done], holds: refused('pay') },
  {
    fault: 'a tool nobody has',
    answers: [one('nothing'), done],
    holds: ({ result, turns }) => result.output === 'done' && turns[0]?.toolInteractions[0]?.error?.code === 'TOOL_UNKNOWN',
  },
  {
    fault: 'a tool named __proto__ or constructor',
    answers: [chatStream([callDelta(0, 'a', '__proto__', '{}'), callDelta(1, 'b', 'constructor', '{}')], 'tool_calls'), done],
    holds: ({ result, turns }) =>
      result.output === 'done' && turns[0]?.toolInteractions.every(({ error }) => error?.code === 'TOOL_UNKNOWN') === true,
  },
  {
    fault: 'the same call id twice',
    answers: [chatStream([callDelta(0, 'c', 'pay', '{"amount":1}'), callDelta(1, 'c', 'pay', '{"amount":2}')], 'tool_calls'), done],
    holds: ({ result, ran, turns }) =>
      result.output === 'done' &&
      JSON.stringify(ran['pay']?.toSorted((a, b) => Number(a['amount']) - Number(b['amount']))) === '[{"amount":1},{"amount":2}]' &&
      new Set(turns[0]?.toolInteractions.map(({ callId }) => callId)).size === 2,
  },
  { fault: 'an empty response', answers: [chatStream([])], holds: failed('AGENT_FAILED') },
  { fault: 'the content filter', answers: [chatStream([{ content: 'I' }], 'content_filter')], holds: failed('MODEL_REFUSED') },
  { fault: '200 with an HTML page', answers: [html], holds: failed('MODEL_BAD_RESPONSE') },
  { fault: 'the connection is reset inside the text', answers: [broken(half, 'reset'), done], holds: healed(1) },
  {
    fault: 'the connection is reset after a complete call',
    answers: [broken(pay('{"amount":10}', null).replace('data: [DONE]\n\n', ''), 'reset'), done],
    holds: healed(1),
  },
  { fault: '429 or 500, once', answers: [status(429), status(500), done], holds: healed(2) },
  {
    fault: '500, always',
    answers: [status(500)],
    holds: (run) => failed('MODEL_UNAVAILABLE', 60_000)(run) && run.turns[0]?.attempts.length === 3,
  },
  {
    fault: 'a tool that hangs',
    answers: [one('hang'), done],
    holds: (run) => answered(/TOOL_TIMEOUT/, 'timeout')(run) && run.took <= 130_000,
  },
  { fault: 'a stream that stalls', answers: [broken(half, 'silence')], holds: failed('MODEL_TIMEOUT') },
  { fault: 'a tool that throws', answers: [one('throws'), done], holds: answered(/out of paper/, 'error') },
  {
    fault: 'a tool that returns what contains itself',
    answers: [one('circular'), done],
    holds: answered(/unserialisable.*circular/, 'ok'),
  },
  { fault: 'a tool that returns undefined', answers: [one('nil'), done], holds: answered(/./, 'ok') },
  {
    fault: 'a result of 10 MB',
    answers: [one('huge'), done],
    holds: (run) =>
      answered(/characters cut/, 'ok')(run) && JSON.stringify(run.turns[0]?.toolInteractions[0]?.content).length < 40_000,
  },
  {
    fault: 'a tool called for ever',
    answers: [one('look')],
    holds: ({ result, requests }) => result.outcome === 'stagnation' && result.status === 'failed' && requests <= 51,
  },
  {
    fault: '500 calls in one reply',
    answers: [
      chatStream(
        Array.from({ length: 500 }, (_, n) => callDelta(n, `c${n}`, 'look', '{}')),
        'tool_calls',
      ),
      done,
    ],
    // The default limit of an agent is 200 calls: the rest is refused one by one, none is dropped.
    holds: ({ result, ran, turns }) =>
      (result.output === 'done' || result.outcome === 'limit') &&
      turns[0]?.toolInteractions.length === 500 &&
      turns[0].toolInteractions.every(({ status: ended }) => ended === 'ok' || ended === 'error' || ended === 'denied') &&
      (ran['look']?.length ?? 0) === turns[0].toolInteractions.filter(({ status: ended }) => ended === 'ok').length,
  },
];
