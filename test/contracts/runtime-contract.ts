import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine, Journal, Run } from '../../src/index.ts';
import { assertJournal } from '../../src/testing/index.ts';
import type { LedgerLine } from '../support/runtime/plan-team.ts';
import { until } from '../support/runtime/until.ts';

/** Engines that run the team of `plan-team.ts` over one journal. */
export interface RuntimeCase {
  /** Launches and steers. */
  readonly engine: Engine;
  readonly journal: Journal;
  /** What tools did. */
  readonly did: readonly LedgerLine[];
  /** Kills what runs the effects of a run, and lets others go on with it; returns the run to follow from then on. */
  crash(run: Run): Promise<Run>;
  close(): Promise<void>;
}

/**
 * What every runtime guarantees: inputs of a run one at a time and at most once, effects after their commit, their outcomes as inputs, timers,
 * aborts that reach an effect, and a crash that repeats nothing silently.
 */
export function runtimeContract(name: string, open: () => Promise<RuntimeCase>): void {
  describe(`runtime: ${name}`, () => {
    let opening: Promise<RuntimeCase>;
    let team: RuntimeCase;
    // Servers start slowly on a busy machine; processes are ended even if they started too late.
    beforeAll(async () => {
      opening = open();
      team = await opening;
    }, 300_000);
    afterAll(async () => await (await opening).close(), 300_000);

    const linesOf = (run: Run): readonly LedgerLine[] => team.did.filter(({ runId }) => runId === run.id);
    const did = (run: Run): readonly string[] => linesOf(run).map(({ kind, tool }) => `${kind} ${tool}`);
    const launch = async (plan: string, profile = 'Root'): Promise<Run> =>
      await team.engine.launch({ profile, input: `plan: ${plan}` });

    it('a run goes to its end: model, pure tool, unsafe tool, in order', async () => {
      const run = await launch('look; pay; say all done');
      const { status, output } = await run.result;
      expect([status, output]).toEqual(['completed', 'all done']);
      expect(did(run)).toEqual(['begin look', 'end look', 'begin pay', 'end pay']);
      assertJournal(await team.journal.read(run.id));
    });

    it('an effect starts only after the commit that made it due, unless it is pure', async () => {
      const run = await launch('note; pay; say done');
      await run.result;
      const begun = linesOf(run).filter(({ kind }) => kind === 'begin');
      expect(begun.map(({ isCommitted }) => isCommitted)).toEqual([true, true]);
    });

    it('inputs that come at once are applied one at a time, each once', async () => {
      const run = await launch('say ready', 'Chat');
      await run.settled();
      const ids = Array.from({ length: 12 }, (_, index) => `item-${index}`);
      await Promise.all(ids.flatMap((itemId) => [run.send('plan: say more', { itemId }), run.send('plan: say more', { itemId })]));
      await run.settled();
      const added = (await team.journal.read(run.id)).flatMap((event) => (event.type === 'inbox.add' ? [event.item.itemId] : []));
      for (const id of ids) expect(added.filter((each) => each === id)).toHaveLength(1);
      await run.cancel();
      assertJournal(await team.journal.read(run.id));
    });

    it('a post is not held up by a model call, and an urgent one interrupts it', async () => {
      const run = await launch('slow 60000', 'Chat');
      await until(() => run.state.turns.size > 0);
      await run.send('later', { itemId: 'later' });
      await run.send('plan: say at once', { priority: 'now' });
      await run.settled();
      expect(run.turns().map(({ reply }) => reply?.text)).toContain('at once');
      await run.cancel();
    });

    it('a timer: an approval that nobody gives expires', async () => {
      const run = await launch('pay; say not paid', 'Expires');
      const { output } = await run.result;
      expect(output).toBe('not paid');
      expect(did(run)).toEqual([]);
    });

    it('a timer: the time limit of a run stops its tool and ends it', async () => {
      const run = await team.engine.launch({ profile: 'Root', input: 'plan: look 60000; say late' }, { limits: { wallMs: 1_500 } });
      expect((await run.result).outcome).toBe('limit');
      expect(did(run)).toEqual(['begin look', 'stop look']);
    });

    it('a cancel reaches the signal of an effect, and resolves when it has stopped', async () => {
      const run = await launch('pay 60000; say never');
      await until(() => did(run).length > 0);
      await run.cancel('no more');
      expect(did(run)).toEqual(['begin pay', 'stop pay']);
      expect((await run.result).status).toBe('cancelled');
      assertJournal(await team.journal.read(run.id));
    });

    it('an answer to a person is decided once: the second one is refused', async () => {
      const run = await launch('pay; say paid', 'Asks');
      await run.settled();
      const id = run.pending[0]?.id ?? '';
      const both = await Promise.allSettled([run.approve(id), run.approve(id)]);
      expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      expect((await run.result).output).toBe('paid');
      expect(did(run)).toEqual(['begin pay', 'end pay']);
    });

    it('a crash: an unsafe tool does not run again, and its call is answered as unknown (I5)', async () => {
      const run = await launch('pay 4000; say unknown');
      await until(() => did(run).length > 0);
      const after = await team.crash(run);
      const { status, output } = await after.result;
      expect([status, output]).toEqual(['completed', 'unknown']);
      expect(did(run).filter((line) => line === 'begin pay')).toHaveLength(1);
      expect(after.turns()[0]?.toolInteractions.map((call) => call.status)).toEqual(['unknown']);
      assertJournal(await team.journal.read(run.id));
    });

    it('a crash: an idempotent tool runs again under the same key, and a pure one again', async () => {
      for (const tool of ['note', 'look']) {
        const run = await launch(`${tool} 4000; say done`);
        await until(() => did(run).length > 0);
        const after = await team.crash(run);
        expect((await after.result).output).toBe('done');
        expect(did(run).filter((line) => line === `begin ${tool}`)).toHaveLength(2);
        expect(new Set(linesOf(run).map(({ key }) => key)).size).toBe(1);
        assertJournal(await team.journal.read(run.id));
      }
    });

    it('a crash during a model call: it is made again, and nothing acknowledged is lost', async () => {
      const run = await launch('slow 1500', 'Chat');
      await run.send('more', { itemId: 'more' });
      const after = await team.crash(run);
      await after.settled();
      const events = await team.journal.read(run.id);
      expect(events.filter((event) => event.type === 'inbox.add' && event.item.itemId === 'more')).toHaveLength(1);
      assertJournal(events);
      await after.cancel();
    });
  });
}
