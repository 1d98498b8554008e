import { expect, it } from 'vitest';
import { formatState } from '../../src/inspect/format/format-state.ts';
import { testEngine, waitsForUser } from '../support/test-engine.ts';

const profile = `
post_turn_observers:
  - id: count
    action:
      type: update_state
      updates:
        - { operation: increment, path: flags.n }
        - { operation: append, path: team.shared.log, value: 'turn {{ flags.n }}' }
  - { id: tidy, condition: flags.n == 2, action: { type: update_state, updates: [{ operation: set, path: 'values.done', value: true }] } }
${waitsForUser}`;

async function counted() {
  const { engine, launch } = await testEngine({ profile, replies: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }] });
  const run = await launch('Count.');
  await run.settled();
  for (const words of ['Go on.', 'And on.']) {
    await run.send(words);
    await run.settled();
  }
  return { engine, run };
}

it('state at any event: the values that were there, and only those', async () => {
  const { run } = await counted();
  const ends = run.turns().map(({ turnId }) => run.fullState().turns.get(turnId as never)?.end?.seq ?? 0);
  const seen = await Promise.all(ends.map(async (seq) => (await run.stateAt({ seq })).value));
  expect(seen).toMatchObject(
    [1, 2, 3].map((n) => ({
      agents: { Root_1: { flags: { n }, counters: { turn_count: n }, messages: n * 2 } },
      team: { shared: { log: Array.from({ length: n }, (_, index) => `turn ${index + 1}`) } },
    })),
  );
  expect(await run.stateAt({ seq: 1 })).toMatchObject({ seq: 1, value: { agents: {}, run: { status: 'running' } } });
  expect(await run.stateAt()).toMatchObject({
    value: { run: { status: 'awaiting' }, agents: { Root_1: { status: 'awaiting_input' } } },
  });
});

it('a value names the patches that made it: event, turn, by whom, before and after', async () => {
  const { run } = await counted();
  const { value, changes } = await run.stateAt({ path: 'Root_1.flags.n' });
  expect(value).toBe(3);
  expect(changes).toMatchObject([
    { turnId: 'Root_1.t1', by: 'count', path: 'flags.n', value: 1 },
    { turnId: 'Root_1.t2', by: 'count', path: 'flags.n', before: 1, value: 2 },
    { turnId: 'Root_1.t3', by: 'count', path: 'flags.n', before: 2, value: 3 },
  ]);
  // Without an agent's name, when only one has it; a value has the changes of what is in it and of what it is in.
  expect(await run.stateAt({ path: 'flags.n' })).toMatchObject({ path: 'Root_1.flags.n', value: 3 });
  expect((await run.stateAt({ path: 'team.shared' })).changes.map(({ path }) => path)).toEqual([
    'team.shared.log',
    'team.shared.log.1',
    'team.shared.log.2',
  ]);
  expect(formatState(await run.stateAt({ path: 'Root_1.flags.n' }))).toContain('Root_1.flags.n  1 → 2  by count in Root_1.t2');
});

it('what does not exist is refused with what there is', async () => {
  const { run } = await counted();
  await expect(run.stateAt({ path: 'Root_1.flag.n' })).rejects.toThrow(
    /no 'flag' below 'Root_1'; there is: .*flags.* did you mean 'flags'\?/,
  );
  await expect(run.stateAt({ path: 'Rot_1.flags.n' })).rejects.toThrow(/there is: Root_1, team, run; did you mean 'Root_1'\?/);
  await expect(run.stateAt({ path: 'values.done', seq: 5 })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  await expect(run.stateAt({ seq: 9_999 })).rejects.toThrow(/there is no event 9999; the run has the events 1 to \d+/);
  await expect(run.stateAt({ seq: 0 })).rejects.toThrow('there is no event 0');
});
