import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ids } from '../../src/core/ids.ts';
import { defineIngestor, type Journal, type Run } from '../../src/index.ts';
import { createSqliteJournal } from '../../src/stores/sqlite-journal.ts';
import {
  countingIds,
  createMemoryJournal,
  manualClock,
  type ScriptedReply,
  type ScriptedRequest,
} from '../../src/testing/index.ts';
import { deciderCount, randomProfiles, randomTools, reply, step, type Step } from '../support/random-team.ts';
import { breathe, testEngine, type TestEngine } from '../support/test-engine.ts';
import { verifyRun } from '../support/verify-run.ts';

const bad = defineIngestor({
  name: 'bad',
  ingest: () => {
    throw new Error('never');
  },
});

/** One random team, over engines that come and go. */
class RandomRun {
  readonly clock = manualClock();
  readonly journal: Journal;
  readonly requests: ScriptedRequest[] = [];
  readonly ran = new Map<string, number>();
  readonly #replies: ScriptedReply[];
  readonly #profiles: Readonly<Record<string, string>>;
  #engines = 0;
  #marks = 0;
  #team: TestEngine | undefined;
  #run: Run | undefined;

  constructor(replies: readonly ScriptedReply[], profiles: Readonly<Record<string, string>>, journal: Journal) {
    this.journal = lasting(journal);
    this.#replies = [...replies];
    this.#profiles = profiles;
  }

  get run(): Run {
    if (this.#run === undefined) throw new Error('not launched');
    return this.#run;
  }

  async start(): Promise<void> {
    const engine = ++this.#engines;
    const ids = countingIds();
    const own: Ids = {
      runId: () => `e${engine}_${ids.runId()}` as ReturnType<Ids['runId']>,
      itemId: () => `e${engine}_${ids.itemId()}` as ReturnType<Ids['itemId']>,
    };
    this.#team = await testEngine({
      profile: this.#profiles,
      tools: randomTools(this.ran),
      ingestors: [bad],
      store: this.journal,
      clock: this.clock,
      ids: own,
      replies: (request) => {
        this.requests.push(request);
        return this.#replies.shift() ?? { text: 'enough' };
      },
    });
    this.#run =
      this.#run === undefined
        ? await this.#team.launch('Begin.', { limits: { turns: 30 } })
        : await this.#team.engine.resume(this.#run.id);
  }

  async take(next: Step): Promise<void> {
    const { run } = this;
    const agents = [...run.state.agents.keys()];
    switch (next.kind) {
      case 'send': {
        const to = agents[next.to % agents.length] ?? '';
        const mark = next.source === 'SELF_REFLECTION_PROMPT' && !next.stays ? `«e${++this.#marks}»` : `sent ${++this.#marks}`;
        const item = {
          source: next.source,
          payload: { prompt: mark, content: mark },
          ...(next.stays ? { consumption: 'persistent_until_consumed' as const, maxTurns: 2 } : {}),
        };
        await expectRefusal(run.send(item, { to, priority: next.priority }), 'RUN_ENDED', 'AGENT_ENDED');
        break;
      }
      case 'pause':
        await breathe(next.rounds);
        break;
      case 'time':
        await this.clock.advance(next.ms);
        break;
      case 'decide': {
        const request = run.pending[next.which % Math.max(1, run.pending.length)];
        if (request === undefined) break;
        const done =
          request.kind === 'question'
            ? run.answer(request.id, { said: next.verdict })
            : next.verdict === 'reject'
              ? run.reject(request.id)
              : run.approve(request.id);
        await expectRefusal(done, 'PENDING_UNKNOWN');
        break;
      }
      case 'cancel':
        await this.#through(
          expectRefusal(run.cancel('by chance', { agentId: agents[next.agent % agents.length] ?? '' }), 'AGENT_ENDED', 'RUN_ENDED'),
        );
        break;
      case 'restart': {
        const before = await this.journal.read(run.id);
        await this.#through(this.#team?.engine.close() ?? Promise.resolve());
        await this.start();
        expect((await this.journal.read(run.id)).slice(0, before.length)).toEqual(before);
      }
    }
  }

  /** Lets time pass until nothing happens any more. */
  async settle(): Promise<void> {
    await this.#through(this.run.settled());
  }

  async close(): Promise<void> {
    await this.#through(this.#team?.engine.close() ?? Promise.resolve());
  }

  async #through(work: Promise<unknown>): Promise<void> {
    let isOver = false;
    const done = work.finally(() => {
      isOver = true;
    });
    done.catch(() => undefined);
    for (let round = 0; round < 3_000 && !isOver; round++) {
      await breathe(1);
      if (round % 4 === 3 && this.clock.timers > 0) await this.clock.advance(1_000);
    }
    expect(isOver, `T4: stuck with ${this.clock.timers} timers, the run is ${this.run.state.status}`).toBe(true);
    await done;
  }
}

/** Whoever comes too late is told so; everything else is a fault. */
async function expectRefusal(work: Promise<unknown>, ...codes: readonly string[]): Promise<void> {
  await work.catch((error: unknown) => expect(codes).toContain((error as { readonly code?: string }).code));
}

/** A journal that outlives its engines. */
function lasting(inner: Journal): Journal {
  return {
    location: inner.location,
    acquire: (runId, owner) => inner.acquire(runId, owner),
    release: (lease) => inner.release(lease),
    append: (lease, commit) => inner.append(lease, commit),
    read: (runId, options) => inner.read(runId, options),
    content: (hash) => inner.content(hash),
    runs: () => inner.runs(),
    close: () => undefined,
  };
}

/** Runs one random team after another over journals of one kind, and checks everything that can be checked afterwards. */
async function property(open: () => Journal, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.array(reply, { maxLength: 14 }),
      fc.array(step, { maxLength: 14 }),
      fc.tuple(fc.nat(deciderCount - 1), fc.nat(deciderCount - 1)),
      async (replies, steps, [root, worker]) => {
        const random = new RandomRun(replies, randomProfiles(root, worker), open());
        await random.start();
        for (const next of steps) await random.take(next);
        await random.settle();
        await verifyRun(random.run, random.journal, { requests: random.requests, repeatable: new Set(['pure']) });
        for (const [callId, count] of random.ran) {
          const name = random.run
            .turns()
            .flatMap((turn) => turn.toolInteractions)
            .find((made) => made.callId === callId)?.name;
          if (name !== 'pure') expect(count, `I5: ${name ?? callId}`).toBe(1);
        }
        await random.close();
      },
    ),
    { numRuns },
  );
}

describe('whatever models say, tools do and people send, whenever, and however often the engine is stopped and started', () => {
  it('I1–I12 hold, in memory', async () => {
    await property(createMemoryJournal, Number(process.env['RANDOM_RUNS'] ?? 120));
  }, 300_000);

  it('I1–I12 hold, in a file', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'cadre-random-'));
    let count = 0;
    const journals: Journal[] = [];
    const open = (): Journal => {
      const journal = createSqliteJournal(path.join(folder, `journal-${++count}.db`));
      journals.push(journal);
      return journal;
    };
    try {
      await property(open, Number(process.env['RANDOM_RUNS'] ?? 200) / 10);
    } finally {
      for (const journal of journals) await journal.close();
      await rm(folder, { recursive: true, force: true });
    }
  }, 300_000);
});
