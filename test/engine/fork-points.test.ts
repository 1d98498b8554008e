import { expect, it } from 'vitest';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { call, openEngine, say, speaks, until } from '../scenarios/scenario.ts';
import { gate } from '../support/test-engine.ts';
import { verifyRun } from '../support/verify-run.ts';

const boss = `
name: Boss
type: principal
llm_config_ref: boss
instructions: You lead.
callable_profiles: [Helper]
tool_access_policy: { allowed_toolsets: [agents] }
`;
const helper = `
name: Helper
type: associate
llm_config_ref: helper
instructions: You help.
`;

it('a fork never begins between the last turn of an agent and its end: nobody would end it, and its caller would wait for ever', async () => {
  const store = createMemoryJournal();
  const models = () => ({
    boss: speaks(call('call_agent', { profile: 'Helper', input: 'Help.' }), say('Done.')),
    helper: speaks('Helped.'),
  });
  const whole = await (
    await openEngine({ yaml: [boss, helper], models: models(), store })
  ).launch({ profile: 'Boss', input: 'Go.' });
  expect(await whole.result).toMatchObject({ outcome: 'success', output: 'Done.' });
  const events = await store.read(whole.id);
  const ends = events.find((event) => event.type === 'agent.end' && event.agentId === 'Helper_2')?.seq ?? 0;
  // Nothing of it has happened yet, and the helper is asked once more; or its result is there.
  for (const at of [ends - 1, ends, ends + 1, ends + 3]) {
    const engine = await openEngine({
      yaml: [boss, helper],
      models: at > ends + 1 ? { boss: speaks('Done again.'), helper: speaks() } : models(),
      store,
    });
    const fork = await engine.fork(whole.id, { at });
    await fork.settled();
    expect([at, fork.state.outcome]).toEqual([at, 'success']);
    await verifyRun(fork, store);
  }
});

it('a fork never begins between the end of an agent that was cancelled and what its caller hears of it', async () => {
  const store = createMemoryJournal();
  const stuck = gate<never>();
  const models = () => ({
    boss: speaks(call('call_agent', { profile: 'Helper', input: 'Help.' }), say('Done.')),
    helper: { ...speaks(), doStream: async () => await stuck.promise },
  });
  const whole = await (
    await openEngine({ yaml: [boss, helper], models: models(), store })
  ).launch({ profile: 'Boss', input: 'Go.' });
  await until(() => whole.state.agents.size === 2);
  await whole.cancel('not needed', { agentId: 'Helper_2' });
  expect(await whole.result).toMatchObject({ outcome: 'success', output: 'Done.' });
  const events = await store.read(whole.id);
  const end = events.find((event) => event.type === 'agent.end' && event.agentId === 'Helper_2')?.seq ?? 0;
  expect(events[end]).toMatchObject({ type: 'turn.end', agentId: 'Helper_2', status: 'cancelled' });
  for (const at of [end, end + 1, end + 2, end + 3]) {
    const engine = await openEngine({
      yaml: [boss, helper],
      models: { boss: speaks('Done again.', 'Done again.'), helper: speaks('Helped.') },
      store,
    });
    const fork = await engine.fork(whole.id, { at });
    await fork.settled();
    expect([at, fork.state.outcome]).toEqual([at, 'success']);
    await verifyRun(fork, store);
  }
});
