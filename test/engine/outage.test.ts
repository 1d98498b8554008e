import { describe, expect, it } from 'vitest';
import type { ScriptedReply } from '../../src/testing/index.ts';
import { breathe, testEngine, waitsForUser, type TestEngine } from '../support/test-engine.ts';
import { eventsOf, verifyRun } from '../support/verify-run.ts';

const down: ScriptedReply = { error: { status: 503, message: 'overloaded', headers: {} } };
const times = (count: number): ScriptedReply[] => Array.from({ length: count }, () => down);

/** Lets the clock run from timer to timer until `isDone`. */
async function runUntil({ clock }: TestEngine, isDone: () => boolean): Promise<void> {
  for (let hops = 0; hops < 400 && !isDone(); hops += 1) {
    await breathe(1);
    const { nextIn } = clock;
    if (nextIn !== undefined && !isDone()) await clock.advance(nextIn);
  }
  expect(isDone()).toBe(true);
}

describe('a provider that goes down in the middle of a run (F47)', () => {
  it('pauses the run, says so in the journal with agent and turn, and the run goes on', async () => {
    const team = await testEngine({
      profile: waitsForUser,
      replies: [{ text: 'one' }, ...times(9), { text: 'two' }],
      random: () => 1,
    });
    const run = await team.launch('first');
    await run.settled();
    await run.send('second');
    await runUntil(team, () => team.model.requests.length === 11 && run.state.status === 'awaiting');
    expect(run.turns().map(({ reply }) => reply?.text)).toContain('two');
    const events = await eventsOf(run, team.journal);
    const notes = events.filter((event) => event.type === 'note.add' && event.code === 'MODEL_OUTAGE');
    expect(notes).toMatchObject([
      { level: 'warning', agentId: expect.any(String), turnId: expect.any(String), message: expect.stringContaining('503') },
      { level: 'info', agentId: expect.any(String) },
    ]);
    expect(run.turns().at(-1)?.attempts).toHaveLength(10);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('a run that waits for its provider is cancelled at once', async () => {
    const team = await testEngine({ replies: times(60), random: () => 1 });
    const run = await team.launch();
    await runUntil(team, () => team.model.requests.length === 7);
    await run.cancel('no longer needed');
    expect(run.state.status).toBe('cancelled');
    expect(team.model.requests).toHaveLength(7);
  });

  it('words that will not wait interrupt the wait like any model call', async () => {
    const team = await testEngine({ profile: waitsForUser, replies: [...times(7), { text: 'there' }], random: () => 1 });
    const run = await team.launch('first');
    await runUntil(team, () => team.model.requests.length === 7);
    await run.send('now this', { priority: 'now' });
    await runUntil(team, () => run.state.status === 'awaiting');
    expect(run.turns().at(-1)?.reply?.text).toBe('there');
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('a process that stops while it waits leaves a run that is taken up', async () => {
    const team = await testEngine({ replies: [...times(7), { text: 'there' }], random: () => 1 });
    const run = await team.launch();
    await runUntil(team, () => team.model.requests.length === 7);
    await team.engine.close();
    const again = await testEngine({ store: team.journal, replies: [{ text: 'there' }], random: () => 1 });
    const resumed = await again.engine.resume(run.id);
    expect(await resumed.result).toMatchObject({ status: 'completed', output: 'there' });
  });
});
