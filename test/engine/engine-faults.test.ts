import { describe, expect, it } from 'vitest';
import type { Run } from '../../src/index.ts';
import { formatOverview } from '../../src/inspect/format/format-overview.ts';
import { formatTimeline } from '../../src/inspect/format/format-timeline.ts';
import { formatTurnList } from '../../src/inspect/format/format-turn-list.ts';
import { runOverview } from '../../src/inspect/run-overview.ts';
import { timeline } from '../../src/inspect/timeline/timeline.ts';
import { turnList } from '../../src/inspect/turn-list.ts';
import { createMemoryJournal } from '../../src/journal/memory-journal.ts';
import { type ManualClock, manualClock } from '../../src/testing/index.ts';
import { breathe, gate, testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, heldTool, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const sourcesOf = (run: Run): readonly string[][] => run.turns().map(({ inputs }) => inputs.map(({ source }) => source));

describe('E4: observers that keep each other busy', () => {
  it('an observer that adds an item after every turn does not keep its agent going for ever', async () => {
    const team = await testEngine({
      profile: `${waitsForUser}
limits: { max_turns: 6 }
post_turn_observers:
  - { id: again, action: { type: add_to_inbox, inbox_item: { source: NEWS, payload: again } } }
`,
      replies: () => ({ text: 'and again' }),
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ outcome: 'limit' });
    expect(run.turns().length).toBeLessThanOrEqual(7);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('observers of one phase add 16 items at most; who did not run is on the record', async () => {
    const observers = Array.from(
      { length: 20 },
      (_, index) => `  - { id: o${index}, action: { type: add_to_inbox, inbox_item: { source: NEWS, payload: n } } }`,
    );
    const team = await testEngine({
      profile: `${waitsForUser}\npre_turn_observers:\n${observers.join('\n')}\n`,
      replies: [{ text: 'so much' }],
    });
    const run = await team.launch();
    await run.settled();
    expect(sourcesOf(run)[0]?.filter((source) => source === 'NEWS')).toHaveLength(16);
    const stopped = run.turns()[0]?.observers.filter(({ error }) => error?.message.includes('had already added') === true);
    expect(stopped?.map(({ id }) => id)).toEqual(['o16', 'o17', 'o18', 'o19']);
  });
});

describe('a fault of the engine after a commit', () => {
  it('stops the run with an error instead of hanging, and another engine resumes the run', async () => {
    const clock = manualClock();
    const deaf: ManualClock = {
      ...clock,
      setTimer: (ms, fire, options) => {
        // The deadlines of the run are set in the background, after its first commit.
        if (options?.background === true) throw new Error('no timer to be had');
        return clock.setTimer(ms, fire, options);
      },
    };
    const journal = createMemoryJournal();
    const profile = `${waitsForUser}\nlimits: { max_wall_seconds: 20 }\n`;
    const broken = await testEngine({ clock: deaf, store: journal, profile, replies: [{ text: 'done' }] });
    await expect(broken.launch()).rejects.toMatchObject({
      code: 'INTERNAL',
      message: expect.stringContaining('no timer to be had'),
    });
    await broken.engine.close();
    const [left] = await journal.runs();
    const whole = await testEngine({ store: journal, profile, replies: [{ text: 'done' }] });
    const run = await whole.engine.resume(left?.runId ?? '');
    await run.settled();
    expect(run.state.status).toBe('awaiting');
    await verifyRun(run, journal);
  });
});

describe('E10: a flood of urgent items', () => {
  it('items that have waited longest get places in every full turn, however urgent the others are', async () => {
    const held = heldTool('t');
    const team = await testEngine({
      profile: waitsForUser + allow('t'),
      tools: [held.tool],
      replies: (_request, index) => (index < 4 ? { toolCalls: [{ name: 't', args: { id: `t${index}` } }] } : { text: 'done' }),
    });
    const run = await team.launch();
    await breathe();
    const flood = async (): Promise<void> => {
      await Promise.all(Array.from({ length: 300 }, () => run.send({ source: 'PARTNER_DIRECTIVE', payload: 'hurry' })));
    };
    const patient = await Promise.all(Array.from({ length: 20 }, (_, index) => run.send(`patient ${index}`)));
    for (let round = 0; round < 4; round++) {
      await flood();
      held.gates.get(`t${round}`)?.open('done');
      await breathe();
    }
    const read = await Promise.all(patient.map(({ delivered }) => delivered));
    // 16 in the first full turn, the rest in the next, though urgent items were waiting all the time.
    expect(read.map((turnId) => turnId.split('.')[1])).toEqual(Array.from({ length: 20 }, (_, i) => (i < 16 ? 't2' : 't3')));
    await run.settled();
    expect(Math.max(...sourcesOf(run).map(({ length }) => length))).toBeLessThanOrEqual(256);
    expect([...run.state.agents.values()][0]?.inbox.items).toEqual([]);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });
});

describe('E11: an item that arrives while its agent goes to sleep', () => {
  it('I6: is read, at whatever moment it comes', async () => {
    for (let ticks = 0; ticks < 24; ticks++) {
      const answer = gate();
      const team = await testEngine({
        profile: waitsForUser,
        replies: async () => {
          await answer.promise;
          return { text: 'I sleep now.' };
        },
      });
      const run = await team.launch();
      await breathe(1);
      answer.open();
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      const { delivered } = await run.send('Not yet!');
      expect(await delivered).toMatch(/\.t[12]$/);
      await run.settled();
      expect(sourcesOf(run).flat()).toEqual(['USER_PROMPT', 'USER_PROMPT']);
      await verifyRun(run, team.journal, { requests: team.model.requests });
    }
  });
});

describe('E13: approvals', () => {
  it('the first answer counts, an approval runs exactly what was asked for, and none works after a cancel', async () => {
    const paid: unknown[] = [];
    const asked = { amount: 100, to: { account: 'A' } };
    const team = await testEngine({
      profile: `${waitsForUser}${allow('pay')}tool_gates:\n  - { id: ask, tools: [pay], verdict: ask }\n`,
      tools: [tool('pay', (args) => void paid.push(args))],
      replies: [
        { toolCalls: [{ name: 'pay', args: asked }] },
        { toolCalls: [{ name: 'pay', args: asked }] },
        { toolCalls: [{ name: 'pay', args: asked }] },
      ],
    });
    const run = await team.launch();
    await run.settled();
    const first = run.pending[0];
    // What a person is shown is a copy: changing it changes nothing of what will run.
    Object.assign(first?.args ?? {}, { amount: 1_000_000 });
    const answers = await Promise.allSettled([run.reject(first?.id ?? ''), run.approve(first?.id ?? '')]);
    expect(answers.map(({ status }) => status)).toContain('fulfilled');
    await run.settled();
    expect(paid).toEqual([]);
    Object.assign((run.pending[0]?.args as typeof asked | undefined)?.to ?? {}, { account: 'B' });
    await run.approve(run.pending[0]?.id ?? '');
    await run.settled();
    expect(paid).toEqual([asked]);
    const last = run.pending[0]?.id ?? '';
    await run.cancel();
    await expect(run.approve(last)).rejects.toMatchObject({ code: 'PENDING_UNKNOWN' });
    expect(paid).toEqual([asked]);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });
});

describe('E14: consumers that never read', () => {
  it('neither many readers that stall, nor one that takes its time, hold the run up or lose an event', async () => {
    const team = await testEngine({
      profile: waitsForUser,
      replies: () => ({ text: 'said' }),
    });
    const run = await team.launch();
    const stalled = Array.from({ length: 200 }, () => run.events()[Symbol.asyncIterator]());
    await Promise.all(stalled.map((reader) => reader.next()));
    const slow = (async () => {
      const seen: number[] = [];
      for await (const event of run.events()) {
        seen.push(event.seq);
        await breathe(1);
      }
      return seen;
    })();
    for (let index = 0; index < 20; index++) {
      await run.send(`say ${index}`);
      await run.settled();
    }
    await run.cancel('enough');
    const events = await verifyRun(run, team.journal);
    expect(await slow).toEqual(events.map(({ seq }) => seq));
    // Those that stalled hold their place and nothing else: the next event is there when they ask.
    expect((await stalled[0]?.next())?.value).toMatchObject({ seq: 2 });
    for (const reader of stalled) await reader.return?.();
  });
});

describe('K10: a wall clock that jumps', () => {
  it('order is by sequence alone, and no duration is negative, whether the clock goes back, far forward, or stands still', async () => {
    const clock = manualClock();
    const start = clock.now();
    const jumps = [start - 3_600_000, start, start, start + 86_400_000, start - 10 * 365 * 86_400_000];
    const team = await testEngine({
      profile: `${waitsForUser}${allow('t')}limits: { max_wall_seconds: 1000000000 }\n`,
      clock,
      limits: { wallMs: 20 * 365 * 86_400_000 },
      tools: [
        tool('t', () => {
          clock.setWall(jumps.shift() ?? start);
          return 'done';
        }),
      ],
      replies: (_request, index) => (index % 2 === 0 ? { toolCalls: [{ name: 't', args: {} }] } : { text: 'done' }),
    });
    const run = await team.launch();
    await run.settled();
    for (let index = 0; index < 4; index++) {
      await run.send(`say ${index}`);
      await run.settled();
    }
    const events = await verifyRun(run, team.journal, { requests: team.model.requests });
    expect(events.some((event, index) => event.at < (events[index - 1]?.at ?? 0))).toBe(true);
    expect(run.turns().map(({ turnId }) => turnId)).toEqual(Array.from({ length: 10 }, (_, index) => `Root_1.t${index + 1}`));
    for (const turn of run.turns()) {
      for (const { ms } of [...turn.attempts, ...turn.toolInteractions]) expect(ms).toBeGreaterThanOrEqual(0);
    }
    for (const text of [
      formatOverview(runOverview(run.state), { color: false, width: 100 } as never),
      formatTurnList(turnList(run.state), { color: false, width: 100 } as never),
      formatTimeline(timeline(run.state), { color: false, width: 100 } as never),
    ])
      expect(text).not.toMatch(/(^|[\s(])-\d|NaN/m);
  });
});

describe('K13: rejections nobody waits for', () => {
  it('promises of the engine that nobody asked for reject in silence when the run stops', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    try {
      const held = heldTool('t');
      const team = await testEngine({
        profile: waitsForUser + allow('t'),
        tools: [held.tool],
        replies: [{ toolCalls: [{ name: 't', args: {} }] }],
      });
      const run = await team.launch();
      await breathe();
      await run.send('never read');
      const reader = run.events()[Symbol.asyncIterator]();
      await reader.next();
      await Promise.all([team.engine.close(), team.clock.advance(1_000)]);
      held.gates.get('t')?.fail(new Error('too late'));
      await breathe(10);
      await reader.return?.();
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', note);
    }
  });
});
