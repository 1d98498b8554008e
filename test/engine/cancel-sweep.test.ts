import { describe, expect, it } from 'vitest';
import type { Journal, Run } from '../../src/index.ts';
import { assertJournal, assertPairing, createMemoryJournal, manualClock, scriptedModel } from '../../src/testing/index.ts';
import { breathe } from '../support/test-engine.ts';
import { tool } from '../support/tools.ts';
import { call, openEngine, type Model } from '../scenarios/scenario.ts';
import { assignment, dispatch, finish, launch, partner, plan, principal, worker, workers } from '../scenarios/team.ts';

/** What a sweep cancels at: the n-th time something happens. */
type Instant = 'commit' | 'model begins' | 'model ends' | 'tool begins' | 'tool ends';

/** One run of a team of four, whose every step can be made the one at which somebody cancels. */
class SweptRun {
  readonly signals: AbortSignal[] = [];
  readonly journal = createMemoryJournal();
  readonly clock = manualClock();
  began = 0;
  #left: number;
  readonly #instant: Instant;
  #cancelled: Promise<void> | undefined;
  #run: Run | undefined;
  readonly #models: Model[] = [];

  constructor(instant: Instant, count: number) {
    this.#instant = instant;
    this.#left = count;
  }

  get run(): Run {
    if (this.#run === undefined) throw new Error('not launched');
    return this.#run;
  }

  /** Plays the run; false when it ended before the instant came. */
  async play(): Promise<boolean> {
    const dig = tool('dig', async (_args, { signal }) => {
      this.#reach('tool begins');
      this.began++;
      this.signals.push(signal);
      await new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        setImmediate(resolve);
      });
      this.#reach('tool ends');
      return 'dug';
    });
    const engine = await openEngine({
      yaml: [partner, principal, worker.replace('tool_access_policy: {', 'tool_access_policy: { allowed_individual_tools: [dig],')],
      models: {
        partner: this.#watched(
          scriptedModel([plan('soil', 'water'), launch(), { text: 'It is under way.' }, { text: 'It is done.' }]),
        ),
        principal: this.#watched(
          scriptedModel([plan('more'), dispatch(assignment('WM_1'), assignment('WM_2')), finish('All done.')]),
        ),
        worker: this.#watched(
          workers({
            dug: finish('Dug.', { primary_summary: 'Dug.' }),
            WM_: { toolCalls: [...(call('dig', {}).toolCalls ?? []), ...(call('dig', { deeper: true }).toolCalls ?? [])] },
          }),
        ),
      },
      tools: [dig],
      store: this.#watchedJournal(),
      clock: this.clock,
    });
    this.#run = await engine.launch({ profile: 'Partner', input: 'Which tea?' });
    if (this.#left === 0) this.#cancel();
    await this.run.settled();
    await this.#cancelled;
    if (this.#cancelled === undefined) return false;
    await this.#verify();
    return true;
  }

  async #verify(): Promise<void> {
    const { run } = this;
    expect(await run.result).toMatchObject({ status: 'cancelled', outcome: 'cancelled' });
    const asked = this.#models.reduce((sum, { requests }) => sum + requests.length, 0);
    const { began } = this;
    await breathe(5);
    await run.cancel('again');
    await run.settled();
    const events = await this.journal.read(run.id);
    assertJournal(events);
    assertPairing(this.#models.flatMap(({ requests }) => requests));
    // Nothing runs afterwards.
    expect([this.#models.reduce((sum, { requests }) => sum + requests.length, 0), this.began]).toEqual([asked, began]);
    expect([...run.state.agents.values()].map(({ status }) => status).filter((status) => status !== 'ended')).toEqual([]);
    expect(Object.values(run.state.team.workModules).filter(({ status }) => status === 'ongoing')).toEqual([]);
    expect(run.state.team.dispatchHistory.filter(({ status }) => status === 'RUNNING' || status === 'QUEUED')).toEqual([]);
    expect(run.pending).toEqual([]);
    expect(run.state.activity).toBe(0);
    expect(events.filter(({ type }) => type === 'run.end')).toHaveLength(1);
  }

  #reach(instant: Instant): void {
    if (instant !== this.#instant || this.#left < 1) return;
    this.#left -= 1;
    if (this.#left === 0 && this.#run !== undefined) this.#cancel();
  }

  #cancel(): void {
    this.#cancelled ??= this.run.cancel('swept');
    // What it says is looked at when the run has settled.
    this.#cancelled.catch(() => undefined);
  }

  #watched(model: Model): Model {
    this.#models.push(model);
    const doStream: Model['doStream'] = async (options) => {
      this.#reach('model begins');
      const result = await model.doStream(options);
      const { readable, writable } = new TransformStream({ flush: () => this.#reach('model ends') });
      return { ...result, stream: result.stream.pipeThrough({ readable, writable }) };
    };
    return Object.assign(Object.create(model) as Model, { doStream });
  }

  #watchedJournal(): Journal {
    const inner = this.journal;
    return {
      location: inner.location,
      acquire: (runId, owner) => inner.acquire(runId, owner),
      release: (lease) => inner.release(lease),
      append: (lease, commit) => {
        const done = inner.append(lease, commit);
        this.#reach('commit');
        return done;
      },
      read: (runId, options) => inner.read(runId, options),
      content: (hash) => inner.content(hash),
      runs: () => inner.runs(),
      close: () => undefined,
    };
  }
}

describe('I9: a cancel at any instant', () => {
  it.each(['commit', 'model begins', 'model ends', 'tool begins', 'tool ends'] as const)(
    'ends everything below, wherever it comes: at each %s',
    async (instant) => {
      let count = 1;
      while (count < 200 && (await new SweptRun(instant, count).play())) count++;
      expect(count, 'instants reached').toBeGreaterThan(
        { commit: 14, 'model begins': 9, 'model ends': 9, 'tool begins': 4, 'tool ends': 4 }[instant],
      );
      expect(count).toBeLessThan(200);
    },
    60_000,
  );
});
