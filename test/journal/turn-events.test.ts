import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CadreEvent } from '../../src/core/events/event.ts';
import { foldTurn } from '../../src/core/fold/fold-turn.ts';
import type { ReadContent } from '../../src/inspect/read-content.ts';
import { turnEvents } from '../../src/journal/codec/turn-events.ts';
import { createMemoryJournal, scriptedModel } from '../../src/testing/index.ts';
import { compareTurns, storedCommits, type Compared } from '../support/compare-turns.ts';
import { delegate } from '../support/delegate.ts';
import { RandomRun } from '../support/random-run.ts';
import { deciderCount, randomProfiles, reply, step } from '../support/random-team.ts';
import { richRun } from '../support/rich-journal.ts';
import { testEngine } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { goldenEvents, goldenLogs } from '../support/golden-events.ts';
import { repeats } from '../support/repeats.ts';

function none(): Compared {
  return { turns: 0, alone: 0, answers: 0 };
}

/** Records a long run of a lead with a context window and several workers, with occasional user messages. */
async function windowedRun(
  turns: number,
  {
    trust = 'trusted',
    policy = 'window: 12',
    briefs = true,
  }: { readonly trust?: string; readonly policy?: string; readonly briefs?: boolean } = {},
): Promise<{ readonly events: readonly CadreEvent[]; readonly content: ReadContent }> {
  let count = 0;
  const team = await testEngine({
    profile: {
      Root: `context_policy: { ${policy} }\nlimits: { max_turns: 1000, max_tool_calls: 1000 }\n${allow('look', 'delegate', 'bad')}pre_turn_observers: [{ id: count, action: { type: update_state, updates: [{ operation: increment, path: flags.turns }] } }]\n`,
      Worker: allow('look'),
    },
    tools: [
      delegate,
      tool('look', ({ n }) => `item ${String(n)} says something`, { trust }),
      tool('bad', () => {
        throw new Error('no');
      }),
    ],
    replies: () => {
      count += 1;
      if (count > turns) return { text: `finished ${count}` };
      if (briefs && count % 23 === 0) return { toolCalls: [{ name: 'delegate', args: { to: 'Worker' } }] };
      if (briefs && count % 23 === 1 && count > 1) return { text: `the worker is done at ${count}` };
      const calls = Array.from({ length: 1 + (count % 3) }, (_, n) => ({
        name: count % 7 === n ? 'bad' : 'look',
        args: { n: count + n },
      }));
      return { text: `step ${count}`, toolCalls: calls };
    },
    models: { s: scriptedModel(() => ({ text: 'A short summary.' })) },
    limits: { maxTurns: 10_000 },
  });
  const run = await team.launch('Look at all items.');
  await run.settled();
  const events = await team.journal.read(run.id);
  const content: ReadContent = (hash) => team.journal.content(hash);
  return { events, content };
}

describe('one turn, read without the rest of its run', () => {
  it.each(goldenLogs)('%s: is on record as the whole run has it, wherever its commits end', (log) => {
    const events = goldenEvents(log);
    for (const sizes of [[1], [4, 9, 2], [1_000]]) {
      const compared = none();
      compareTurns(events, () => undefined, { sizes, compared });
      expect(compared.turns).toBeGreaterThan(2);
    }
  });

  it('tools that fail, approvals, a message in between: the same', async () => {
    const { events, content } = await richRun();
    const compared = none();
    compareTurns(events, content, { sizes: [3, 8, 5], compared });
    expect(compared.alone).toBeGreaterThan(2);
    expect(compared.answers).toBeGreaterThan(5);
  });

  it('behind a window, from a small part of the run: the same, and every turn can be read so', async () => {
    const { events, content } = await windowedRun(110);
    for (const sizes of [[1, 13, 6], [8]].slice(0, repeats(2))) {
      const compared = none();
      compareTurns(events, content, { sizes, compared });
      expect(compared.turns).toBeGreaterThan(100);
      expect(compared.alone).toBeGreaterThan(compared.turns * 0.9);
      expect(compared.answers).toBeGreaterThan(200);
    }
    const commits = storedCommits(events, [8]);
    const last = turnEvents(commits, 'last');
    expect(last?.beginsWith).toBeDefined();
    expect(last?.events.length).toBeLessThan(events.length / 4);
  }, 60_000);

  it('untrusted results behind a window: the same, alone while one agent reads them, whole where its words reach others', async () => {
    const one = await windowedRun(90, { trust: 'untrusted', briefs: false });
    const compared = none();
    compareTurns(one.events, one.content, { sizes: [8, 3], compared });
    expect(compared.alone).toBe(compared.turns);
    const several = await windowedRun(60, { trust: 'untrusted' });
    const shared = none();
    compareTurns(several.events, several.content, { sizes: [8, 3], compared: shared });
    expect(shared.alone).toBeGreaterThan(0);
    expect(shared.alone).toBeLessThan(shared.turns - 20);
  }, 60_000);

  it('behind summaries: the same, alone unless they may hold words from outside', async () => {
    const policy = 'compaction: { at_tokens: 600, keep: 4, llm_config: s }';
    const trusted = await windowedRun(70, { policy });
    expect(trusted.events.filter(({ type }) => type === 'compaction.end').length).toBeGreaterThan(2);
    const compared = none();
    compareTurns(trusted.events, trusted.content, { sizes: [8, 3], compared });
    expect(compared.alone).toBeGreaterThan(compared.turns * 0.9);
    const untrusted = await windowedRun(70, { policy, trust: 'untrusted', briefs: false });
    const summed = none();
    compareTurns(untrusted.events, untrusted.content, { sizes: [8, 3], compared: summed });
    expect(summed.alone).toBeGreaterThan(0);
    expect(summed.alone).toBeLessThan(summed.turns - 20);
  }, 60_000);

  it('a word that names no turn, or several, is left to those who know all turns', async () => {
    const { events } = await windowedRun(60);
    const commits = storedCommits(events, [8]);
    expect(turnEvents(commits, 'Root_1.t20')?.turnId).toBe('Root_1.t20');
    expect(turnEvents(commits, 't20')?.turnId).toBe('Root_1.t20');
    expect(turnEvents(commits, '1.t20')?.turnId).toBe('Root_1.t20');
    for (const word of ['t1', 't9999', '', 'Root_1', 'dispatch_1', 'xRoot_1.t20', '0'])
      expect(turnEvents(commits, word)).toBeUndefined();
  });

  it('a run with an event of a later version is left to those who read it all', async () => {
    const { events } = await windowedRun(20);
    const last = events.at(-1);
    if (last === undefined) throw new Error('no events');
    const later = { ...last, type: 'later.thing', seq: last.seq + 1 } as never;
    expect(turnEvents(storedCommits(events, [8]), 'last')).toBeDefined();
    expect(turnEvents(storedCommits([...events, later], [8]), 'last')).toBeUndefined();
  });

  it('nothing is guessed where an event is missing', async () => {
    const { events } = await windowedRun(60);
    const slice = turnEvents(storedCommits(events, [8]), 'last');
    if (slice === undefined) throw new Error('not read alone');
    const isNeeded = ({ type }: CadreEvent): boolean => type === 'inbox.add' || type === 'model.end';
    const added = slice.events.filter((event) => isNeeded(event) && event.seq < (slice.events.at(-1)?.seq ?? 0) - 8);
    const before = slice.events.findLast((event) => event.type === 'turn.start' && event.turnId === slice.turnId)?.seq ?? 0;
    for (const missing of added.filter(({ seq }) => seq < before))
      expect(foldTurn({ ...slice, events: slice.events.filter((event) => event !== missing) })).toBeUndefined();
  });

  it('whatever models say, tools do and people send: the same', async () => {
    const compared = none();
    await fc.assert(
      fc.asyncProperty(
        fc.array(reply, { maxLength: 14 }),
        fc.array(step, { maxLength: 14 }),
        fc.tuple(fc.nat(deciderCount - 1), fc.nat(deciderCount - 1)),
        fc.record({ window: fc.nat(8), sizes: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 }) }),
        async (replies, steps, [root, worker], { window, sizes }) => {
          const profiles = Object.entries(randomProfiles(root, worker)).map(([name, text]) => [
            name,
            window < 2 || text.includes('context_policy') ? text : `${text}\ncontext_policy: { window: ${window} }\n`,
          ]);
          const random = new RandomRun({
            replies,
            profiles: Object.fromEntries(profiles) as never,
            journal: createMemoryJournal(),
          });
          await random.start();
          for (const next of steps) await random.take(next);
          await random.settle();
          const events = await random.journal.read(random.run.id);
          compareTurns(events, (hash) => random.journal.content(hash), { sizes, compared });
          await random.close();
        },
      ),
      { numRuns: repeats(60) },
    );
    expect(compared.alone).toBeGreaterThan(compared.turns / 4);
  }, 120_000);
});
