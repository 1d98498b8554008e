import { readFileSync } from 'node:fs';
import path from 'node:path';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import type { CadreEvent } from '../../src/index.ts';
import { createTelemetry, type TelemetryOptions } from '../../src/otel/create-telemetry.ts';
import { testEngine } from '../support/test-engine.ts';

/** Collector that keeps the spans it receives. */
function collector() {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return { tracerProvider, spans: () => exporter.getFinishedSpans() };
}

async function exported(events: readonly CadreEvent[], options: TelemetryOptions = {}): Promise<readonly ReadableSpan[]> {
  const { tracerProvider, spans } = collector();
  const telemetry = await createTelemetry({ tracerProvider, ...options });
  telemetry.export(events);
  return spans();
}

const goldenFile = path.join(import.meta.dirname, '..', 'golden', 'three-agents.jsonl');
const golden = readFileSync(goldenFile, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as CadreEvent);

const milliseconds = ([seconds, nanos]: readonly [number, number]): number => seconds * 1_000 + nanos / 1_000_000;

describe('[B.81] a recorded team', () => {
  it('is one trace: workflow, agents below the calls that started them, turns, chats and tools below each other', async () => {
    const spans = await exported(golden);
    const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
    const wayOf = (span: ReadableSpan): string => {
      const parent = span.parentSpanContext === undefined ? undefined : byId.get(span.parentSpanContext.spanId);
      return `${parent === undefined ? '' : `${wayOf(parent)} > `}${span.name}`;
    };
    expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(1);
    const partner = 'invoke_workflow Partner > invoke_agent Partner';
    const principal = `${partner} > invoke_agent Principal`;
    const worker = `${principal} > turn > execute_tool dispatch_submodules > invoke_agent Worker`;
    expect([...new Set(spans.map(wayOf))].toSorted()).toEqual([
      'invoke_workflow Partner',
      partner,
      principal,
      `${principal} > turn`,
      `${principal} > turn > chat scripted`,
      `${principal} > turn > execute_tool dispatch_submodules`,
      worker,
      `${worker} > turn`,
      `${worker} > turn > chat scripted`,
      `${worker} > turn > execute_tool finish_flow`,
      `${worker} > turn > execute_tool measure`,
      `${principal} > turn > execute_tool finish_flow`,
      `${principal} > turn > execute_tool manage_work_modules`,
      `${partner} > turn`,
      `${partner} > turn > chat scripted`,
      `${partner} > turn > execute_tool launch_principal`,
      `${partner} > turn > execute_tool manage_work_modules`,
    ]);
  });

  it('has as many spans as its journal has runs, agents, turns, model calls and tool calls, each with its times', async () => {
    const spans = await exported(golden);
    const count = (type: CadreEvent['type']): number => golden.filter((event) => event.type === type).length;
    const named = (name: string): number => spans.filter((span) => span.name.split(' ')[0] === name).length;
    expect({
      agents: named('invoke_agent'),
      turns: named('turn'),
      chats: named('chat'),
      tools: named('execute_tool'),
      runs: named('invoke_workflow'),
    }).toEqual({
      agents: count('agent.start'),
      turns: count('turn.start'),
      chats: count('model.end'),
      tools: count('tool.request'),
      runs: 1,
    });
    const [first, last] = [golden[0]?.at ?? 0, golden.at(-1)?.at ?? 0];
    for (const span of spans) {
      expect(milliseconds(span.startTime)).toBeGreaterThanOrEqual(first);
      expect(milliseconds(span.endTime)).toBeLessThanOrEqual(last);
      expect(milliseconds(span.endTime)).toBeGreaterThanOrEqual(milliseconds(span.startTime));
    }
  });

  it('links each turn to the calls and turns that posted what it read', async () => {
    const spans = await exported(golden);
    const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
    const links = spans.flatMap((span) =>
      span.links.map((link) => [byId.get(link.context.spanId)?.name, link.attributes?.['cadre.item.source']]),
    );
    const results = golden.filter((event) => event.type === 'inbox.add' && event.item.source === 'TOOL_RESULT').length;
    const fromTools = links.filter(([name]) => String(name).startsWith('execute_tool'));
    expect(fromTools.length).toBeGreaterThan(0);
    expect(fromTools.length).toBeLessThanOrEqual(results);
    expect(fromTools.every(([, source]) => source === 'TOOL_RESULT')).toBe(true);
  });

  it('says what was decided, and nothing of what was said unless asked to', async () => {
    const spans = await exported(golden);
    const turn = spans.find((span) => span.name === 'turn');
    expect(turn?.events.map(({ name }) => name)).toContain('cadre.decision');
    const texts = golden.flatMap((event) =>
      event.type === 'model.end' && (event.reply?.text.length ?? 0) > 20 ? [event.reply?.text ?? ''] : [],
    );
    expect(texts.length).toBeGreaterThan(0);
    const attributes = (all: readonly ReadableSpan[]): string => JSON.stringify(all.map((span) => [span.attributes, span.events]));
    for (const text of texts) expect(attributes(spans)).not.toContain(JSON.stringify(text).slice(1, -1));
    const open = attributes(await exported(golden, { content: true }));
    for (const key of ['gen_ai.output.messages', 'gen_ai.tool.call.arguments', 'gen_ai.tool.call.result', 'gen_ai.input.messages'])
      expect(open).toContain(key);
    const cut = await exported(golden, { content: true, maxChars: 10 });
    const longest = cut
      .flatMap((span) => Object.entries(span.attributes))
      .filter(([key]) => /messages|arguments|result$/.test(key));
    expect(Math.max(...longest.map(([, value]) => String(value).length))).toBe(11);
  });

  it('one that stops in the middle ends what is open', async () => {
    const middle = golden.findIndex((event) => event.type === 'tool.request') + 1;
    const spans = await exported(golden.slice(0, middle));
    expect(spans.map((span) => span.name.split(' ')[0])).toEqual([
      'chat',
      'execute_tool',
      'turn',
      'invoke_agent',
      'invoke_workflow',
    ]);
  });
});

describe('a live run', () => {
  it('is followed to its end; failures of tools and models stand on their spans', async () => {
    const { tracerProvider, spans } = collector();
    const telemetry = await createTelemetry({ tracerProvider });
    const { engine, launch } = await testEngine({
      profile: 'tool_access_policy: { allowed_individual_tools: [break] }',
      tools: [
        {
          name: 'break',
          description: 'Breaks.',
          parameters: { type: 'object' },
          execute: () => {
            throw new Error('it broke');
          },
        },
      ],
      replies: [{ toolCalls: [{ name: 'break', args: {} }] }, { text: 'It broke.' }],
    });
    const run = await launch('Go.');
    const stop = telemetry.watch(run);
    await run.result;
    await expect.poll(() => spans().map(({ name }) => name)).toContain('invoke_workflow Root');
    const tool = spans().find(({ name }) => name === 'execute_tool break');
    expect(tool?.attributes['error.type']).toBe('TOOL_FAILED');
    expect(tool?.status.code).toBe(2);
    const chat = spans().find(({ name }) => name.startsWith('chat '));
    expect(chat?.attributes).toMatchObject({ 'gen_ai.operation.name': 'chat', 'cadre.attempts': 1 });
    stop();
    await engine.close();
  });

  it('whose watcher lets go ends what is open', async () => {
    const { tracerProvider, spans } = collector();
    const telemetry = await createTelemetry({ tracerProvider });
    const { engine, launch } = await testEngine({
      profile: 'flow_decider: [{ id: rest, action: { type: await_user_input } }]',
      replies: [{ text: 'Hello.' }],
    });
    const run = await launch('Go.');
    const stop = telemetry.watch(run);
    await run.settled();
    await expect.poll(() => spans().map(({ name }) => name)).toContain('turn');
    stop();
    await expect.poll(() => spans().map(({ name }) => name)).toContain('invoke_workflow Root');
    await engine.close();
  });
});
