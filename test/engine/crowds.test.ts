import { describe, expect, it } from 'vitest';
import type { CadreEvent } from '../../src/core/events/event.ts';
import type { Commit, Journal } from '../../src/core/events/journal.ts';
import { assertJournal, createMemoryJournal } from '../../src/testing/index.ts';
import { delegate } from '../support/delegate.ts';
import { testEngine, type TestEngine } from '../support/test-engine.ts';

const agents = 300;
const wide =
  'tool_access_policy: { allowed_individual_tools: [delegate] }\nlimits: { max_children: 2000, max_live: 2000, max_tool_calls: 2000 }';

/** A memory journal that keeps its commits, and how often the event loop had turned when each was written. */
function keepingJournal(): { readonly journal: Journal; readonly commits: Commit[]; readonly turns: number[]; stop(): void } {
  const inner = createMemoryJournal();
  const commits: Commit[] = [];
  const turns: number[] = [];
  let turned = 0;
  let isOver = false;
  const tick = (): void => {
    turned += 1;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  const journal: Journal = {
    location: inner.location,
    acquire: (runId, owner) => inner.acquire(runId, owner),
    release: (lease) => inner.release(lease),
    append: (lease, commit) => {
      commits.push(structuredClone(commit));
      turns.push(turned);
      return inner.append(lease, commit);
    },
    read: (runId, options) => inner.read(runId, options),
    content: (hash) => inner.content(hash),
    runs: (filter) => inner.runs(filter),
    close: () => inner.close(),
  };
  return { journal, commits, turns, stop: () => (isOver = true) };
}

/** Most events of a type in one commit. */
function mostOf(commits: readonly Commit[], type: CadreEvent['type']): number {
  return Math.max(...commits.map(({ events }) => events.filter((event) => event.type === type).length));
}

async function wideTeam(store: Journal): Promise<TestEngine> {
  return await testEngine({
    store,
    tools: [delegate],
    limits: { maxLive: 2_000, maxTotal: 2_000, maxChildren: 2_000, maxToolCalls: 2_000 },
    profile: { Root: wide, Worker: '' },
    replies: ({ prompt }) => {
      const text = JSON.stringify(prompt);
      if (!text.includes('Go wide.') || text.includes('"role":"tool"')) return { text: 'done' };
      return { toolCalls: Array.from({ length: agents }, () => ({ name: 'delegate', args: { to: 'Worker' } })) };
    },
  });
}

describe('F49: a decision that starts a crowd of agents', () => {
  it('is left in portions, between which the event loop turns; every agent works, and the run completes', async () => {
    const kept = keepingJournal();
    const team = await wideTeam(kept.journal);
    const run = await team.launch('Go wide.');
    expect(await run.result).toMatchObject({ status: 'completed' });
    kept.stop();
    expect(run.state.agents.size).toBe(agents + 1);
    const big = kept.commits.flatMap(({ events }, index) => (events.length > 256 ? [index] : []));
    expect(big.length).toBeGreaterThan(2);
    expect(Math.max(...kept.commits.map(({ events }) => events.length))).toBeLessThan(900);
    const between = big.slice(1).map((index) => (kept.turns[index] ?? 0) - (kept.turns[index - 1] ?? 0));
    expect(Math.min(...between)).toBeGreaterThan(0);
    // First turns and outcomes come in slices of some milliseconds.
    expect(mostOf(kept.commits, 'turn.start')).toBeLessThanOrEqual(64);
    expect(mostOf(kept.commits, 'model.end')).toBeLessThanOrEqual(16);
    assertJournal(await kept.journal.read(run.id));
    await team.engine.close();
  });

  it('goes on after a crash between any two of them', async () => {
    const kept = keepingJournal();
    const team = await wideTeam(kept.journal);
    const run = await team.launch('Go wide.');
    await run.result;
    kept.stop();
    await team.engine.close();
    const cuts = kept.commits.flatMap(({ events }, index) => (events.length > 256 ? [index + 1] : []));
    for (const cut of cuts.slice(0, 6)) {
      const journal = createMemoryJournal();
      const lease = await journal.acquire(run.id, '1@box#before');
      for (const commit of kept.commits.slice(0, cut)) await journal.append(lease, commit);
      await journal.release(lease);
      const next = await wideTeam(journal);
      const again = await next.engine.resume(run.id);
      expect(await again.result, `after commit ${cut}`).toMatchObject({ status: 'completed' });
      expect(again.state.agents.size).toBe(agents + 1);
      assertJournal(await journal.read(run.id));
      await next.engine.close();
    }
  });
});
