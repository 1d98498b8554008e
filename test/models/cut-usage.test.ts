import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createEngine, type Engine, type EngineOptions, type Run } from '../../src/index.ts';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { delegate } from '../support/delegate.ts';
import { allow } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';
import { wireConfig, wireKeys, wires } from './wires.ts';

/** Chunks of a stream: its start, one word, and what its provider counts while words go on. */
interface Stream {
  readonly start: readonly object[];
  readonly word: (text: string, words: number) => object;
}

const named = (data: object): string => ('type' in data ? `event: ${String(data.type)}\n` : '');
const encode = (data: object): string => `${named(data)}data: ${JSON.stringify(data)}\n\n`;

/** Prompts of 1,000 tokens, as each provider counts them. */
const streams: Readonly<Record<string, Stream>> = {
  Anthropic: {
    start: [
      {
        type: 'message_start',
        message: {
          id: 'm',
          type: 'message',
          role: 'assistant',
          model: 'claude',
          content: [],
          stop_reason: null,
          usage: { input_tokens: 300, cache_read_input_tokens: 500, cache_creation_input_tokens: 200, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ],
    word: (text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  },
  Google: {
    start: [],
    word: (text, words) => ({
      candidates: [{ content: { role: 'model', parts: [{ text }] } }],
      usageMetadata: { promptTokenCount: 1_000, candidatesTokenCount: words * 2, totalTokenCount: 1_000 + words * 2 },
    }),
  },
  'OpenAI-compatible chat': {
    start: [],
    word: (text, words) => ({
      id: 'r',
      model: 'm',
      choices: [{ index: 0, delta: { role: 'assistant', content: text }, finish_reason: null }],
      usage: { prompt_tokens: 1_000, completion_tokens: words * 2, total_tokens: 1_000 + words * 2 },
    }),
  },
};

let server: Server | undefined;
let engine: Engine | undefined;
afterEach(async () => {
  await engine?.close({ graceMs: 50 });
  server?.closeAllConnections();
  server?.close();
  engine = undefined;
});

/** A server whose streams are cut after so many words; -1 never. */
async function serve(
  stream: Stream,
  cutAfter: number,
  sent = { requests: 0, words: 0 },
): Promise<{ url: string; sent: typeof sent }> {
  server = createServer((request, response) => {
    request.resume();
    sent.requests += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const chunk of stream.start) response.write(encode(chunk));
    let words = 0;
    const next = (): void => {
      if (words === cutAfter) {
        response.destroy();
        return;
      }
      words += 1;
      sent.words += 1;
      if (response.write(encode(stream.word(`word${words % 10} `, words)))) setImmediate(next);
      else response.once('drain', next);
    };
    response.on('error', () => undefined);
    next();
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent };
}

interface Started {
  readonly run: Run;
  readonly journal: ReturnType<typeof createMemoryJournal>;
}

async function start(
  wireName: string,
  url: string,
  options: { readonly more?: readonly string[]; readonly profiles?: Readonly<Record<string, string>>; readonly launch?: object },
): Promise<Started> {
  const wire = wires[wireName];
  if (wire === undefined) throw new Error(`no wire ${wireName}`);
  const { more = [], profiles = { Root: '' }, launch = {} } = options;
  const journal = createMemoryJournal();
  const parts: EngineOptions = {
    team: false,
    env: wireKeys,
    store: journal,
    graceMs: 50,
    tools: [delegate],
    profiles: {
      files: [
        wireConfig(wire, url, ['price: { input: 10, output: 100 }', 'wait_seconds_on_retry: 0.01', ...more]),
        ...Object.entries(profiles).map(([name, text]) => ({
          path: `profiles/${name}.yaml`,
          text: `name: ${name}\ntype: associate\nllm_config_ref: wire\ninstructions: You work.\n${text}\n`,
        })),
      ],
    },
  };
  engine = await createEngine(parts);
  const run = await engine.launch({ profile: 'Root', input: 'Go.' }, launch);
  return { run, journal };
}

describe.each(Object.entries(streams))('[F95] streams that are cut, over HTTP: %s', (name, stream) => {
  it('are charged by what the provider counted on the way', async () => {
    const { url, sent } = await serve(stream, 50);
    const { run, journal } = await start(name, url, { more: ['max_retries: 1'] });
    expect(await run.result).toMatchObject({ status: 'failed' });
    expect(sent.requests).toBe(2);
    const { usage } = run.state;
    expect(usage.inputTokens).toBe(2_000);
    // Fifty words of two tokens each; what no chunk counted is estimated.
    expect(usage.outputTokens).toBeGreaterThan(150);
    expect(usage.outputTokens).toBeLessThan(400);
    if (name !== 'Anthropic') expect(usage.outputTokens).toBeLessThan(210);
    expect(usage.cost).toBeCloseTo((usage.inputTokens * 10 + usage.outputTokens * 100) / 1_000_000, 9);
    expect((await journal.runs())[0]).toMatchObject({ inputTokens: 2_000, outputTokens: usage.outputTokens });
    await verifyRun(run, journal);
  });

  it('end with the budget, however often they are tried', async () => {
    const { url, sent } = await serve(stream, 100);
    const { run, journal } = await start(name, url, {
      more: ['max_retries: 30', 'max_output_tokens: 400'],
      launch: { limits: { costUsd: 0.2 } },
    });
    expect(await run.result).toMatchObject({ outcome: 'limit', error: { code: 'LIMIT_REACHED' } });
    expect(sent.requests).toBeLessThan(20);
    expect(run.state.usage.cost).toBeLessThanOrEqual(0.2 + 0.001);
    expect(run.state.usage.cost).toBeGreaterThan(0.1);
    await verifyRun(run, journal);
  });

  it('and those that never end: an ample budget lets them grow, and a small one holds them', async () => {
    const { url, sent } = await serve(stream, -1);
    const { run, journal } = await start(name, url, { launch: { limits: { tokens: 30_000 } } });
    expect((await run.result).outcome).not.toBe('error');
    const { usage } = run.state;
    expect(usage.outputTokens).toBeGreaterThan(8_192 * 2);
    // One chunk more.
    expect(usage.inputTokens + usage.outputTokens).toBeLessThanOrEqual(30_000 + 60);
    expect(sent.words).toBeGreaterThan(5_000);
    await verifyRun(run, journal);
  });

  it('of a child, within what its caller may use', async () => {
    const { url } = await serve(stream, 200);
    const { run, journal } = await start(name, url, {
      more: ['max_retries: 20', 'max_output_tokens: 600'],
      profiles: {
        Root: `${allow('delegate')}limits: { max_tokens: 9000 }\nplanner: { type: single_action, tool: delegate, args: { to: Child } }`,
        Child: '',
      },
    });
    await run.result;
    expect(run.state.usage.inputTokens + run.state.usage.outputTokens).toBeLessThanOrEqual(9_100);
    await verifyRun(run, journal);
  });
});
