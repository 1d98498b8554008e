import { expect, it } from 'vitest';
import { createEngine, type Engine, type Run } from '../../../src/index.ts';
import { createPostgresJournal } from '../../../src/journal/postgres/postgres-journal.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { failure } from '../../contracts/journal-contract.ts';
import { sharedServer } from '../../support/postgres/postgres-server.ts';
import { until } from '../../support/runtime/until.ts';
import { profileFiles } from '../../support/test-engine.ts';
import { allow, tool } from '../../support/tools.ts';

const server = await sharedServer();

const profiles = {
  First: `instructions: You look once.\n${allow('look')}`,
  Second: `instructions: You look twice.\n${allow('look')}`,
};

interface House extends AsyncDisposable {
  readonly engine: Engine;
  /** Launches a run, and waits until its process has let go of it. */
  readonly ended: (profile: keyof typeof profiles, input: string) => Promise<Run>;
}

async function open(schema = server.newSchema(), textMemory?: number): Promise<House> {
  const journal = createPostgresJournal({ url: server.url(schema), ...(textMemory === undefined ? {} : { textMemory }) });
  const engine = await createEngine({
    profiles: { files: profileFiles(profiles) },
    team: false,
    store: journal,
    tools: [tool('look', ({ at }) => `a long result about ${String(at)} `.repeat(4_000))],
    models: {
      m: scriptedModel(({ prompt }) =>
        JSON.stringify(prompt).includes('"role":"tool"') ? { text: 'done' } : { toolCalls: [{ name: 'look', args: { at: 'x' } }] },
      ),
    },
  });
  return {
    engine,
    ended: async (profile, input) => {
      const run = await engine.launch({ profile, input });
      await run.result;
      await released(schema, run.id);
      return run;
    },
    [Symbol.asyncDispose]: async () => {
      await engine.close();
      await journal.close();
    },
  };
}

/** Waits until no process holds a run. */
async function released(schema: string, runId: string): Promise<void> {
  await until(
    async () => (await server.query(`SELECT owner FROM ${schema}.runs WHERE run_id = '${runId}'`))[0]?.['owner'] === null,
  );
}

/** Expects that nothing of a record is missing. */
function expectWhole(run: Run, input: string): void {
  for (const turn of run.turns()) {
    expect(turn.tools).toContain('look');
    expect(turn.systemPrompt.segments.filter(({ text }) => text !== '').length).toBeGreaterThan(0);
    expect(turn.systemPrompt.segments.filter(({ missing }) => missing === true)).toEqual([]);
  }
  const [first] = run.turns();
  expect(run.why(first?.turnId ?? '', input).length).toBeGreaterThan(0);
  expect(run.why(first?.turnId ?? '', first?.systemPrompt.segments[0]?.text.slice(0, 30) ?? '').length).toBeGreaterThan(0);
}

it('F88: the handle of a run that has ended shows its record whole, with every tool and the system prompt', async () => {
  await using house = await open();
  const run = await house.ended('First', 'a question about turtles');
  expectWhole(run, 'a question about turtles');
  expectWhole(await house.engine.open(run.id), 'a question about turtles');
  expect(await run.recording()).toContain('a long result about x');
});

it('F88: texts without room in memory are refused, never shown as empty, and come back when the run is read again', async () => {
  const schema = server.newSchema();
  await using house = await open(schema);
  const first = await house.ended('First', 'first question');
  const second = await house.ended('Second', 'second question');
  await using reader = await open(schema, 0);
  const early = await reader.engine.open(first.id);
  await reader.engine.records.read(second.id);
  const [turn] = early.turns();
  for (const look of [() => turn?.systemPrompt, () => turn?.prompt, () => early.why(turn?.turnId ?? '', 'You look once')]) {
    const { details } = await failure('STORE_FAILED', look);
    expect(details).toMatchObject({ isLetGo: true });
  }
  expect(await early.recording()).toContain('a long result about x');
  expectWhole(early, 'first question');
});

it('F88: a turn that memory let go is refused, never taken for one that never was; opened again, the run has all of them', async () => {
  const schema = server.newSchema();
  const journal = createPostgresJournal({ url: server.url(schema) });
  const engine = await createEngine({
    profiles: { files: profileFiles({ Long: `${allow('look')}stagnation: off\nlimits: { max_turns: 200 }\n` }) },
    team: false,
    store: journal,
    tools: [tool('look', () => 'seen')],
    models: {
      m: scriptedModel((_, at) => (at > 135 ? { text: 'done' } : { toolCalls: [{ name: 'look', args: { at } }] })),
    },
  });
  const run = await engine.launch({ profile: 'Long', input: 'Look.' });
  await run.result;
  const first = 'Long_1.t1';
  for (const look of [() => run.turn(first), () => run.why(first, 'Look.')])
    expect((await failure('STORE_FAILED', look)).details).toMatchObject({ isLetGo: true });
  await released(schema, run.id);
  const opened = await engine.open(run.id);
  expect(opened.turn(first)?.tools).toContain('look');
  expect(opened.turn('Long_1.t999')).toBeUndefined();
  await engine.close();
  await journal.close();
});

it('F170: views of a run whose store is gone do not end the process', async () => {
  const unhandled: unknown[] = [];
  const note = (thrown: unknown): void => void unhandled.push(thrown);
  process.on('unhandledRejection', note);
  const house = await open();
  const run = await house.ended('First', 'a question');
  const [turn] = run.turns();
  await house[Symbol.asyncDispose]();
  await failure('STORE_FAILED', () => run.why(turn?.turnId ?? '', 'You look once'));
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});
