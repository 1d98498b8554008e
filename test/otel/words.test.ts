import { readFileSync } from 'node:fs';
import path from 'node:path';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { expect, it } from 'vitest';
import { CadreError, type CadreEvent } from '../../src/index.ts';
import { createTelemetry } from '../../src/otel/create-telemetry.ts';
import { testEngine } from '../support/test-engine.ts';

/** Everything that spans of these events tell: names, attributes, status, events and links, of provider and scope. */
async function told(events: readonly CadreEvent[], content: boolean): Promise<string> {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  (await createTelemetry({ tracerProvider, content })).export(events);
  return JSON.stringify(
    exporter.getFinishedSpans().map(({ name, attributes, status, events: noted, links, instrumentationScope }) => ({
      name,
      attributes,
      status,
      noted,
      links: links.map((link) => link.attributes),
      instrumentationScope,
    })),
  );
}

/** Words of somebody: each with its own mark. */
function marks(): { readonly mark: (what: string) => string; readonly all: string[] } {
  const all: string[] = [];
  return {
    all,
    mark: (what) => {
      const word = `Zyx${all.length}`;
      all.push(word);
      return `${word} said by ${what}, in words`;
    },
  };
}

it('F176: spans hold nothing that a person, a model, a tool or a provider said, whichever way it came in', async () => {
  const { mark, all } = marks();
  const { engine, launch, journal } = await testEngine({
    profile: `
tool_access_policy: { allowed_individual_tools: [break, tell, later] }
post_turn_observers:
  - id: telling
    condition: "true"
    action: { type: add_to_inbox, target_agent_id: self, inbox_item: { source: SELF_REFLECTION_PROMPT, payload: { content: "${mark('an observer')}" } } }
`,
    tools: [
      {
        name: 'break',
        description: mark('a description'),
        parameters: { type: 'object' },
        execute: () => {
          throw new CadreError('TOOL_FAILED', mark('a tool that failed'), { details: { file: mark('a file') } });
        },
      },
      {
        name: 'tell',
        description: 'Tells.',
        parameters: { type: 'object' },
        execute: () => ({ [mark('a key of a result')]: mark('a result') }),
      },
      {
        name: 'later',
        description: 'Throws what is no error.',
        parameters: { type: 'object' },
        execute: () => {
          // eslint-disable-next-line @typescript-eslint/only-throw-error
          throw { code: mark('a code'), message: mark('a thrown object') };
        },
      },
    ],
    replies: [
      { text: mark('a reply'), toolCalls: [{ name: 'break', args: { why: mark('an argument') } }] },
      {
        toolCalls: [
          { name: 'tell', args: {} },
          { name: 'later', args: {} },
        ],
      },
      { toolCalls: [{ name: mark('a model that invents a tool'), args: { x: mark('arguments of it') } }] },
      { toolCalls: [{ name: 'break', args: 'no JSON' as never }] },
      { error: { code: 'MODEL_UNAVAILABLE', message: mark('a provider') } } as never,
      { text: mark('the last reply') },
    ],
  });
  const run = await launch(mark('a user'), { notes: [{ title: mark("a note's title"), content: mark('a note') }] } as never);
  await run.settled();
  await run.cancel(mark('a reason')).catch(() => undefined);
  const events = await journal.read(run.id);
  await engine.close();
  const written = JSON.stringify(events);
  const said = all.filter((word) => written.includes(word));
  expect(said.length).toBeGreaterThan(10);
  const quiet = await told(events, false);
  expect(said.filter((word) => quiet.includes(word))).toEqual([]);
  expect(quiet).toContain('execute_tool break');
  expect(quiet).toContain('TOOL_UNKNOWN');
  const loud = await told(events, true);
  expect(said.filter((word) => loud.includes(word)).length).toBeGreaterThan(7);
});

/** Fields that hold ids, names of the team's own files, kinds and codes of the format: what spans are made of. */
const kept =
  /^(?:type|name|runId|turnId|agentId|callId|itemId|compactionId|parentAgentId|flowId|profile|profileType|source|phase|turnType|status|kind|config|llmConfig|level|stage|limit|verdict|answer|by|model|id|system|tools|head|hash|role|observerId|ruleId|from|action|profiles|given)$/;

it('F176: whatever text stands in an event, only names and codes reach a span', async () => {
  const file = path.join(import.meta.dirname, '..', 'golden', 'three-agents.jsonl');
  const golden = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as CadreEvent);
  const { mark, all } = marks();
  const marked = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return kept.test(key) ? value : mark(key);
    if (Array.isArray(value)) return value.map((one: unknown) => marked(one, key));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, marked(field, name)]));
  };
  const events = golden.map((event) => marked(event, '') as CadreEvent);
  const [start] = golden;
  const agentId = golden.find((event) => event.type === 'agent.start')?.agentId;
  const error = { code: mark('a code'), message: mark('an error') };
  const at = start?.at ?? 0;
  const more = [
    { type: 'note.add', agentId, code: mark('a note code'), level: 'warning', message: mark('a note') },
    { type: 'limit.reach', agentId, limit: 'turns', stage: 'hard', message: mark('a limit') },
    { type: 'agent.end', agentId, outcome: mark('an outcome'), error },
    { type: 'run.end', status: 'failed', outcome: mark('an outcome'), error },
  ].map((event, index) => ({ ...event, runId: start?.runId, seq: golden.length + index + 1, at }) as unknown as CadreEvent);
  const quiet = await told([...events.filter(({ type }) => type !== 'run.end'), ...more], false);
  expect(all.length).toBeGreaterThan(100);
  expect(all.filter((word) => quiet.includes(`${word} `))).toEqual([]);
  expect(quiet).toContain('_OTHER');
});
