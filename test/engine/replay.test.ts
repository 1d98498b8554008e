import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEngine, type Run } from '../../src/index.ts';
import { replayedPeople } from '../../src/engine/effects/replayed-people.ts';
import {
  countingIds,
  createMemoryJournal,
  manualClock,
  parseRecording,
  replayModels,
  type ScriptedReply,
  type ScriptedRequest,
} from '../../src/testing/index.ts';
import { createDocumentTools } from '../../src/toolsets/documents/create-document-tools.ts';
import { toolReturn } from '../../src/core/tool/tool-return.ts';
import { askPerson } from '../support/ask-person.ts';
import { delegate } from '../support/delegate.ts';
import { breathe, testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Turn records as data, without times and the run's id. */
function recordsOf(run: Run): unknown {
  const timed = new Set([
    'hash',
    'startedAt',
    'endedAt',
    'ms',
    'firstTokenMs',
    'waitMs',
    'at',
    'startMs',
    'since',
    'expiresAt',
    'endMs',
    'requestedAt',
    // Tools report progress by the clock of the machine, and a replay runs none.
    'progress',
  ]);
  const text = JSON.stringify(run.turns(), (key, value: unknown) => (timed.has(key) ? undefined : value));
  return JSON.parse(
    text
      .replaceAll(run.id, 'RUN')
      .replaceAll(/\b1\d{12}(?!\d)/g, '0')
      .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '0')
      .replaceAll(/ nonce=\\+"[\w-]+\\+"/g, ''),
  );
}

const profiles = {
  Root: `instructions: You are Root in run {{ run.run_id }}.\n${allow('delegate', 'work')}`,
  Manager: `instructions: You are Manager.\n${allow('delegate', 'work', 'fails')}`,
  Worker: `instructions: You are Worker.\n${allow('work', 'fails', 'posts')}`,
};

/** What each agent says, by who it is and how often it spoke. */
function say(request: ScriptedRequest): ScriptedReply {
  const who = String(request.prompt[0]?.content).split(' ')[2]?.replace('.', '') ?? '';
  const turn = request.prompt.filter(({ role }) => role === 'assistant').length;
  const calls = (...names: readonly string[]): ScriptedReply => ({
    toolCalls: names.map((name, index) =>
      /^[A-Z]/.test(name) ? { name: 'delegate', args: { to: name } } : { name, args: { turn, index } },
    ),
  });
  if (who === 'Root' && turn === 0) return calls('Manager', 'work', 'Manager');
  if (who === 'Manager' && turn === 0) return calls('Worker', 'Worker');
  if (who === 'Manager' && turn === 1) return calls('work', 'fails');
  if (who === 'Worker' && turn < 2) return calls('work', 'posts', 'fails');
  return { text: `${who} is done` };
}

/** Lets others go first, as often as the next number says. */
function shuffler(numbers: readonly number[]): () => Promise<void> {
  let next = 0;
  return () => breathe((numbers[next++ % numbers.length] ?? 0) + 1);
}

async function team(numbers: readonly number[], more: Parameters<typeof testEngine>[0] = {}) {
  const pause = shuffler(numbers);
  const ran: string[] = [];
  const tools = [
    delegate,
    tool('work', async (args, { runId }) => {
      ran.push('work');
      await pause();
      return `work ${JSON.stringify(args)} of ${runId}`;
    }),
    tool('fails', async () => {
      ran.push('fails');
      await pause();
      throw new Error('it fails');
    }),
    tool('posts', () => toolReturn({ content: 'posted', items: [{ source: 'NEWS', payload: { n: 1 } }] })),
  ];
  const made = await testEngine({
    profile: profiles,
    tools,
    replies: async (request) => {
      await pause();
      return say(request);
    },
    ...more,
  });
  return { ...made, ran };
}

describe('record and replay', () => {
  it('a team is replayed under any interleaving: the same turn records, the same bytes, no model and no tool', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(6), { minLength: 1, maxLength: 12 }),
        fc.array(fc.nat(6), { minLength: 1, maxLength: 12 }),
        async (first, second) => {
          const live = await team(first);
          const run = await live.launch();
          expect((await run.result).outcome).toBe('success');
          const recording = await run.recording();
          const replaying = await team(second, {
            replay: parseRecording(recording),
            ids: { ...countingIds(), runId: () => 'run_9' as Run['id'] },
            clock: manualClock(1_900_000_000_000),
          });
          const again = await replaying.launch();
          await again.result;
          expect(replaying.ran).toEqual([]);
          expect(replaying.model.requests).toEqual([]);
          expect(recordsOf(again)).toEqual(recordsOf(run));
          expect(await again.recording()).toBe(recording);
          await verifyRun(again, replaying.journal);
        },
      ),
      { numRuns: 8 },
    );
  });

  it('models alone are replayed by replayModels, or by an LLM config with provider replay, and tools run', async () => {
    const live = await team([0]);
    const run = await live.launch();
    await run.result;
    const recording = await run.recording();
    const file = path.join(await mkdtemp(path.join(tmpdir(), 'cadre-replay-')), 'run.jsonl');
    onTestFinished(() => rm(path.dirname(file), { recursive: true }));
    await writeFile(file, recording);
    const text = `name: recorded\ntype: llm_config\nconfig: { provider: replay, recording: ${JSON.stringify(file)} }\n`;
    const ways = [
      { options: { models: { m: replayModels(recording).default } }, launch: {} },
      { options: { files: [{ path: 'llm_configs/recorded.yaml', text }] }, launch: { llmConfig: 'recorded' } },
    ];
    for (const { options, launch } of ways) {
      const replaying = await team([3, 1], options);
      const again = await replaying.launch('Go.', launch);
      expect(await again.result).toMatchObject({ outcome: 'success', output: 'Root is done' });
      expect(replaying.ran.length).toBe(live.ran.length);
      expect(replaying.model.requests).toEqual([]);
    }
    const lost = await team([0], { files: [{ path: 'llm_configs/recorded.yaml', text: text.replace('run.jsonl', 'no.jsonl') }] });
    const failed = await lost.launch('Go.', { llmConfig: 'recorded' });
    expect((await failed.result).error?.code).toBe('RECORDING_INVALID');
  });

  it('what differs is said, once: agent, call, line, message, tool', async () => {
    const live = await team([0]);
    const run = await live.launch();
    await run.result;
    const recording = await run.recording();
    const fail = async (edit: (text: string) => string, more: Parameters<typeof testEngine>[0] = {}): Promise<string> => {
      const replaying = await team([0], { replay: parseRecording(edit(recording), 'rec.jsonl'), ...more });
      const again = await replaying.launch();
      const { error } = await again.result;
      expect(replaying.ran).toEqual([]);
      return `${error?.code ?? ''} ${error?.message ?? ''}`;
    };
    const replace =
      (from: string, to: string) =>
      (text: string): string => {
        expect(text).toContain(from);
        return text.replaceAll(from, to);
      };
    expect(await fail(replace('You are Root', 'You were Root'))).toMatch(
      /^REPLAY_MISMATCH The run is not the one in rec\.jsonl: model call 1 of Root \(line 3\) asks something else: the system prompt differs from character 4 on: recorded "You were Root/,
    );
    expect(await fail(replace('"text":"Go."', '"text":"Run."'))).toMatch(
      /message 1 \(user\) differs from character 0 on: recorded "Run\.", now "Go\."/,
    );
    expect(await fail(replace('Does work.', 'Worked.'))).toMatch(/the tool work differs from character \d+ on/);
    expect(await fail((text) => text.replaceAll(/.*"agent":"Root","call":2.*\n/g, ''))).toMatch(
      /it holds 1 model call\(s\) of Root, and this is number 2/,
    );
    expect(await fail(replace('"Root"', '"Boss"'))).toMatch(/it holds no model call of Root; its agents are Boss/);
    expect(await fail((text) => text.replace('"args":{"turn":0,"index":1}', '"args":{"turn":9}'))).toMatch(
      /recorded \{"turn":9\}|message \d/,
    );
  });

  it.each([
    ['nothing', '', /is empty/],
    ['something else', '{"a":1}\n', /line 1: a recording begins with a line that says "format":"cadre-recording"/],
    ['no JSON', 'format\n', /line 1: this is no JSON/],
    [
      'a newer version',
      '{"format":"cadre-recording","version":2,"profile":"R","input":{}}\n',
      /version 2, and this program reads version 1/,
    ],
    [
      'a cut line',
      '{"format":"cadre-recording","version":1,"profile":"R","input":{}}\n{"kind":"mod',
      /line 2: this is no JSON; was the file cut/,
    ],
    [
      'an unknown line',
      '{"format":"cadre-recording","version":1,"profile":"R","input":{}}\n{"kind":"x"}',
      /line 2: there are no lines of kind "x"/,
    ],
    [
      'a missing field',
      '{"format":"cadre-recording","version":1,"profile":"R","input":{}}\n{"kind":"tool","agent":"R"}',
      /line 2: a line of kind tool needs call, a number/,
    ],
    [
      'a call without an answer',
      '{"format":"cadre-recording","version":1,"profile":"R","input":{}}\n{"kind":"model","agent":"R","call":1,"prompt":{"added":[]},"usage":{},"attempts":[]}',
      /needs a reply or an error/,
    ],
    [
      'a reply that is none',
      '{"format":"cadre-recording","version":1,"profile":"R","input":{}}\n{"kind":"model","agent":"R","call":1,"prompt":{"added":[]},"usage":{},"attempts":[],"reply":{}}',
      /a reply needs text, reasoning and finishReason/,
    ],
    [
      'an LLM config that is no name',
      '{"format":"cadre-recording","version":1,"profile":"R","input":{},"llmConfig":5}',
      /llmConfig of the first line must be a text/,
    ],
  ])('a file that holds %s is refused', (_, text, message) => {
    expect(() => parseRecording(text)).toThrow(message);
    expect(() => parseRecording(text)).toThrow(expect.objectContaining({ code: 'RECORDING_INVALID' }));
  });

  it('verdicts, answers and messages of people are said again', async () => {
    const replies = [
      {
        toolCalls: [
          { name: 'gated', args: {} },
          { name: 'ask_person', args: {} },
        ],
      },
      { text: 'first' },
      { toolCalls: [{ name: 'gated', args: { n: 2 } }] },
      { text: 'second' },
    ];
    const options = {
      profile: `${allow('gated', 'ask_person')}tool_gates: [{ id: g, tools: [gated], verdict: ask }]\n${waitsForUser}`,
      tools: [tool('gated', (args) => `done ${JSON.stringify(args)}`), askPerson],
    };
    const live = await testEngine({ ...options, replies });
    const run = await live.launch();
    await run.settled();
    for (const { id, kind } of run.pending)
      await (kind === 'approval' ? run.approve(id, { args: { n: 7 } }) : run.answer(id, 'yes'));
    await run.settled();
    await run.send('Go on.');
    await run.settled();
    await run.reject(run.pending[0]?.id ?? '', { message: 'not twice' });
    await run.settled();
    const recording = parseRecording(await run.recording());
    const replaying = await testEngine({ ...options, replay: recording });
    const again = await replaying.launch();
    const people = replayedPeople(recording);
    do await again.settled();
    while (await people?.(again));
    expect(again.state.agents.get(again.state.rootAgentId ?? ('' as never))?.turn.lastReply).toBe('second');
    expect(await again.recording()).toBe(await run.recording());
    expect(await again.recording()).toContain('"args":{"n":7},"status":"ok"');
  });

  it('failed attempts, truncated results and what a compaction said come back as they were', async () => {
    const options = {
      profile: `${allow('big')}context_policy: { max_tokens: 2000, compaction: { at: 0.4, llm_config: s } }`,
      tools: [tool('big', () => 'x y '.repeat(900), { max_result_chars: 1_500 })],
    };
    const replies = [
      { error: { status: 503 } },
      { toolCalls: [{ name: 'big', args: { n: 1 } }] },
      { toolCalls: [{ name: 'big', args: { n: 2 } }] },
      { toolCalls: [{ name: 'big', args: { n: 3 } }] },
      { text: 'done' },
    ];
    const clock = manualClock();
    const { scriptedModel } = await import('../../src/testing/index.ts');
    const live = await testEngine({
      ...options,
      replies,
      clock,
      models: { s: scriptedModel(() => ({ text: 'A short summary.' })) },
    });
    const run = await live.launch();
    await breathe(10);
    await clock.advance(60_000);
    await run.result;
    expect(run.turns()[0]?.attempts).toHaveLength(2);
    const recording = await run.recording();
    expect(recording).toContain('"kind":"summary"');
    const replaying = await testEngine({ ...options, models: { s: scriptedModel([]) }, replay: parseRecording(recording) });
    const again = await replaying.launch();
    await again.result;
    expect(recordsOf(again)).toEqual(recordsOf(run));
    expect(await again.recording()).toBe(recording);
  });

  it('the bundled team is replayed from its recording, without documents to read', async () => {
    const outDir = path.join(tmpdir(), 'cadre-replay-reports');
    const open = async (options: object) => {
      const tools = createDocumentTools({ root: path.join(root, 'docs'), outDir });
      const engine = await createEngine({
        profiles: path.join(root, 'agent_profiles'),
        tools: tools.tools,
        store: createMemoryJournal(),
        env: {},
        // On a clock that moves, a module that changes within the millisecond it was made in keeps its `updated_at`.
        clock: manualClock(),
        ...options,
      });
      onTestFinished(async () => {
        await engine.close();
        tools[Symbol.dispose]();
      });
      return engine;
    };
    const engine = await open({});
    const run = await engine.launch({ profile: 'Partner', input: 'How do I set a limit on turns?' });
    await run.settled();
    const recording = await run.recording();
    const replaying = await open({ replay: parseRecording(recording) });
    const again = await replaying.launch({ profile: 'Partner', input: 'How do I set a limit on turns?' });
    await again.settled();
    expect(recordsOf(again)).toEqual(recordsOf(run));
    expect(await again.recording()).toBe(recording);
  });
});
