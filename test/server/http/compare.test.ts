import { describe, expect, it } from 'vitest';
import { storedText } from '../../../src/core/events/journal.ts';
import { compareRuns } from '../../../src/inspect/compare/compare-runs.ts';
import type { RunComparison } from '../../../src/inspect/compare/run-comparison.ts';
import type { TurnComparison } from '../../../src/inspect/compare/turn-comparison.ts';
import { createMemoryJournal } from '../../../src/testing/index.ts';
import { waitsForUser } from '../../support/test-engine.ts';
import { allow, tool } from '../../support/tools.ts';
import { servedTeam } from './served-team.ts';

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Serves a team that has answered two questions; the tool says something else the second time. */
async function twoRuns() {
  const store = createMemoryJournal();
  const said = ['a grey cat', 'a grey cat', 'a dog'];
  const team = await servedTeam({
    store,
    profile: `${waitsForUser}${allow('look')}`,
    tools: [tool('look', () => said.shift() ?? '', { effect: 'pure' })],
    replies: (_request, index) => (index % 2 === 0 ? { toolCalls: [{ name: 'look', args: {} }] } : { text: 'Seen.' }),
  });
  const runs = [];
  for (const question of ['What is there?', 'What is there?', 'What is there?']) {
    const run = await team.launch(question);
    await run.settled();
    runs.push(run.id);
  }
  const [a = '', b = '', c = ''] = runs;
  return { ...team, store, a, b, c };
}

describe('GET /api/compare', () => {
  it('answers what cadre compare shows: every run with the first one, the first difference with its cause', async () => {
    const { get, store, a, b, c } = await twoRuns();
    const found = (await get(`/api/compare?run=${a}&run=${b}&run=${c}`)) as RunComparison;
    const read = async (runId: string) => ({
      events: await store.read(runId as never),
      content: (hash: Parameters<typeof storedText>[1]) => storedText(store, hash),
    });
    expect(found).toEqual(plain(compareRuns([await read(a), await read(b), await read(c)])));
    expect(found.pairs[0]).toMatchObject({ before: a, after: b, same: 2, differ: 0 });
    expect(found.pairs[1]?.first).toMatchObject({ turnId: 'Root_1.t1', part: 'results', cause: 'tool result' });
  });

  it('compares one turn in full: the parts, the results, and the prompts without ids of runs and marks of frames', async () => {
    const { get, a, c } = await twoRuns();
    const first = (await get(`/api/compare/turns/Root_1.t1?run=${a}&run=${c}`)) as TurnComparison;
    expect(first).toMatchObject({ turnId: 'Root_1.t1', parts: ['results'] });
    expect(first.results).toEqual([
      { tool: 'look', before: expect.stringContaining('a grey cat'), after: expect.stringContaining('a dog') },
    ]);
    expect(first.prompt?.entries.every(({ kind }) => kind === 'same')).toBe(true);
    const second = (await get(`/api/compare/turns/Root_1.t2?run=${a}&run=${c}`)) as TurnComparison;
    expect(second.parts).toContain('messages');
    const changed = second.prompt?.entries.filter(({ kind }) => kind !== 'same') ?? [];
    expect(changed).toEqual([expect.objectContaining({ kind: 'changed' })]);
    expect(JSON.stringify(changed)).toContain('a dog');
    expect(Object.values(second.names.after.calls)).toEqual(['look']);
  });

  it('compares a turn that one run alone has, and refuses one that neither has', async () => {
    const { get, engine, a, c } = await twoRuns();
    const run = await engine.open(c);
    await run.send('And now?');
    await run.settled();
    const found = (await get(`/api/compare/turns/Root_1.t3?run=${a}&run=${c}`)) as TurnComparison;
    expect(found).toMatchObject({ parts: ['start'], after: { turnId: 'Root_1.t3' } });
    expect(found.before).toBeUndefined();
    expect(await get(`/api/compare/turns/Root_1.t9?run=${a}&run=${c}`, 404)).toMatchObject({
      error: { code: 'TURN_UNKNOWN', message: "neither run has a turn 'Root_1.t9' that called a model" },
    });
  });

  it('refuses one run, too many runs and unknown ones, and says what is allowed', async () => {
    const { get, a } = await twoRuns();
    expect(await get(`/api/compare?run=${a}`, 400)).toMatchObject({
      error: { code: 'REQUEST_INVALID', message: expect.stringContaining('give 2 to 10 runs as ?run=…&run=…, not 1') },
    });
    expect(await get(`/api/compare/turns/Root_1.t1?run=${a}&run=${a}&run=${a}`, 400)).toMatchObject({
      error: { code: 'REQUEST_INVALID' },
    });
    expect(await get(`/api/compare?run=${a}&run=run_unknown`, 404)).toMatchObject({ error: { code: 'RUN_UNKNOWN' } });
  });
});
