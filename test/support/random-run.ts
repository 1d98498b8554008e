import { expect } from 'vitest';
import type { Ids } from '../../src/core/ids.ts';
import { defineIngestor, type Journal, type Run } from '../../src/index.ts';
import { countingIds, manualClock, type ScriptedReply, type ScriptedRequest } from '../../src/testing/index.ts';
import { randomTools, type Step } from './random-team.ts';
import { breathe, testEngine, type TestEngine, type TestEngineOptions } from './test-engine.ts';

/** An ingestor that never manages. */
const bad = defineIngestor({
  name: 'bad',
  ingest: () => {
    throw new Error('never');
  },
});

/** Options of a random run; `engine` has further options for each of its engines. */
export interface RandomRunOptions {
  readonly replies: readonly ScriptedReply[];
  readonly profiles: Readonly<Record<string, string>>;
  readonly journal: Journal;
  /** Further options of the n-th engine, counted from 1. */
  readonly engine?: (count: number) => Partial<TestEngineOptions>;
}

/** One random team, over engines that come and go. */
export class RandomRun {
  readonly clock = manualClock();
  readonly journal: Journal;
  readonly requests: ScriptedRequest[] = [];
  readonly ran = new Map<string, number>();
  readonly #replies: ScriptedReply[];
  readonly #options: RandomRunOptions;
  #engines = 0;
  #marks = 0;
  #team: TestEngine | undefined;
  #run: Run | undefined;

  constructor(options: RandomRunOptions) {
    this.journal = lasting(options.journal);
    this.#replies = [...options.replies];
    this.#options = options;
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
      profile: this.#options.profiles,
      tools: randomTools(this.ran),
      ingestors: [bad],
      store: this.journal,
      clock: this.clock,
      ids: own,
      replies: (request) => {
        this.requests.push(request);
        return this.#replies.shift() ?? { text: 'enough' };
      },
      ...this.#options.engine?.(engine),
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
              : run.approve(request.id, next.n === undefined ? {} : { args: { n: next.n } });
        await expectRefusal(done, 'PENDING_UNKNOWN', ...(next.n === undefined ? [] : ['TOOL_DENIED', 'TOOL_ARGUMENTS_INVALID']));
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

/** Expects work to succeed or to be refused as too late; throws every other error. */
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
