import { expect, it } from 'vitest';
import { createEngine } from '../../src/index.ts';
import { timeline } from '../../src/inspect/timeline/timeline.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { runCli, temporaryFolder } from '../cli/cli-process.ts';
import { breathe, profileFiles, testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, heldTool, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const asks = (...tools: readonly string[]): string => `${waitsForUser}${allow(...tools)}
stagnation: off
tool_gates:
  - { id: money, tools: [pay], verdict: ask }
`;

it('F31: a run that works says so, and how much of it waits for a person; one that waits for a message is idle', async () => {
  const count = heldTool('count');
  const team = await testEngine({
    profile: asks('pay', 'count'),
    tools: [tool('pay', () => 'paid'), count.tool],
    replies: [
      { toolCalls: ['pay', 'pay', 'count'].map((name) => ({ name, args: {} })) },
      { text: 'done' },
      { toolCalls: [{ name: 'pay', args: {} }] },
      { text: 'done again' },
    ],
  });
  const listed = async () => (await team.engine.runs()).map(({ status, pending }) => [status, pending])[0];
  const run = await team.launch();
  await breathe();
  expect(await listed()).toEqual(['running', 2]);
  const [first, second] = run.pending;
  await run.approve(first?.id ?? '');
  await breathe();
  expect(await listed()).toEqual(['running', 1]);
  count.gates.get('count')?.open('3');
  await run.settled();
  expect(await listed()).toEqual(['awaiting', 1]);
  expect(run.state.status).toBe('awaiting');
  await run.reject(second?.id ?? '');
  await run.settled();
  expect(await listed()).toEqual(['idle', 0]);
  expect(run.state.status).toBe('awaiting');
  await run.send('Pay again.');
  await run.settled();
  expect(await listed()).toEqual(['awaiting', 1]);
  await run.cancel();
  expect(await listed()).toEqual(['cancelled', 0]);
  await verifyRun(run, team.journal, {});
});

it('F31: a question of an agent itself counts while it is asked, and no longer once it was answered', async () => {
  const team = await testEngine({
    profile: `${allow('pay')}checkpoints: [{ id: look, after_turns: 1, message: Go on? }]\n`,
    tools: [tool('pay', () => 'paid')],
    replies: [{ toolCalls: [{ name: 'pay', args: {} }] }, { text: 'Done.' }],
  });
  const run = await team.launch();
  await run.settled();
  expect(await team.engine.runs()).toMatchObject([{ status: 'awaiting', pending: 1 }]);
  await run.answer(run.pending[0]?.id ?? '', 'go on');
  await run.settled();
  expect(await team.engine.runs()).toMatchObject([{ status: 'completed', pending: 0 }]);
  await verifyRun(run, team.journal, {});
});

it('F53: time that a turn waits for a person is no time of its tools, also when the run is read later', async () => {
  const team = await testEngine({
    profile: asks('pay'),
    tools: [tool('pay', () => 'paid')],
    replies: [{ toolCalls: [{ name: 'pay', args: {} }] }, { text: 'done' }],
  });
  const run = await team.launch();
  await run.settled();
  const shown = () =>
    timeline(run.state).lanes[0]?.bars[0]?.parts.filter(({ kind }) => kind === 'tools' || kind === 'person') ?? [];
  const asked = team.clock.now();
  expect(shown()).toEqual([{ kind: 'person', from: asked, to: undefined }]);
  await team.clock.advance(5_000);
  await run.approve(run.pending[0]?.id ?? '');
  await run.settled();
  expect(shown()).toEqual([{ kind: 'person', from: asked, to: asked + 5_000 }]);
});

it('F31: cadre runs says which runs wait for their reader, and which are idle', async () => {
  const cwd = await temporaryFolder();
  const store = createSqliteJournal(`${cwd}/.cadre/journal.db`);
  const engine = await createEngine({
    profiles: { files: profileFiles(asks('pay')) },
    tools: [tool('pay', () => 'paid')],
    models: {
      m: scriptedModel((request) =>
        JSON.stringify(request).includes('Pay now') ? { toolCalls: [{ name: 'pay', args: {} }] } : { text: 'Well.' },
      ),
    },
    team: false,
    store,
  });
  for (const input of ['Say well.', 'Pay now.']) await (await engine.launch({ profile: 'Root', input })).settled();
  await engine.close();
  await store.close();
  const { out } = await runCli(['runs'], { cwd });
  expect(out).toMatch(/ waits for you .*Pay now\./);
  expect(out).toMatch(/ idle .*Say well\./);
  const json = JSON.parse((await runCli(['runs', '--json'], { cwd })).out) as readonly object[];
  expect(json).toMatchObject([
    { status: 'awaiting', pending: 1 },
    { status: 'idle', pending: 0 },
  ]);
  const all = await runCli(['resume', '--all'], { cwd });
  expect(all.err + all.out).toMatch(/waits for a decision \(Pay now\.\)/);
  expect(all.err + all.out).toContain('1 run waits for a message');
});
