import { describe, expect, it } from 'vitest';
import { foldEvents } from '../../src/core/fold/apply-event.ts';
import type { Engine, Journal, Run } from '../../src/index.ts';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { clerkEngine, takeTurns } from '../load/clerk.ts';
import { plainState, verifyRun } from '../support/verify-run.ts';

const turns = 1_400;

const engineOf = new WeakMap<Run, Engine>();

async function longRun(journal: Journal): Promise<Run> {
  const engine = await clerkEngine(journal);
  const run = await engine.launch({ profile: 'Clerk', input: 'Begin.' });
  await run.settled();
  await takeTurns(run, turns);
  engineOf.set(run, engine);
  return run;
}

describe('a run that goes on and on', { timeout: 60_000 }, () => {
  it('I4, I13: what is behind the window leaves memory, deterministically, and is read from the journal again', async () => {
    const journal = createMemoryJournal();
    const run = await longRun(journal);
    const agent = [...run.state.agents.values()][0];
    expect(run.state.counters.turns).toBe(turns + 2);
    expect(run.state.turns.size).toBe(128);
    expect(agent?.history.released).toBeGreaterThan(1_000);
    expect(agent?.history.messages.length).toBeLessThan(1_100);
    expect(agent?.history.origins).toHaveLength(agent?.history.messages.length ?? -1);
    expect(agent?.history.messages[0]?.role).not.toBe('tool');

    // State = fold, invariants, prompts and spans of all turns, those released as well.
    const events = await verifyRun(run, journal);
    const whole = foldEvents(events, 'everything');
    expect(plainState(run.fullState())).toEqual(plainState(whole));
    expect(run.turns().map(({ turnId }) => turnId)).toEqual([...(whole?.turns.keys() ?? [])]);
    expect(run.turn('Clerk_1.t1')?.reply.toolCalls).toHaveLength(1);
    expect(run.turn('Clerk_1.t300')?.prompt.text).toContain('Note 296:');
    expect(run.why('Clerk_1.t5', 'Note 2:')[0]?.causes.length).toBeGreaterThan(0);
  });

  it('is taken up where it stands, and goes on with the same window', async () => {
    const journal = createMemoryJournal();
    const first = await longRun(journal);
    const engine = await clerkEngine(journal);
    await engineOf.get(first)?.close();
    const run = await engine.resume(first.id);
    expect(plainState([...run.state.agents.values()] as never)).toEqual(plainState([...first.state.agents.values()] as never));
    expect([...run.state.turns.keys()]).toEqual([...first.state.turns.keys()]);
    await takeTurns(run, 10);
    const prompt = run.turns().at(-1)?.prompt.text ?? '';
    expect(prompt).toContain('Note 8:');
    expect(prompt).not.toContain('Begin.');
    await verifyRun(run, journal);
    expect((await engine.open(run.id)).turns()).toHaveLength(turns + 12);
  });
});
