import { createHash } from 'node:crypto';
import { CadreError } from '../../core/error.ts';
import { idPattern, type RunId } from '../../core/ids.ts';
import type { Engine } from '../../engine/engine.ts';
import { isKnown } from '../../engine/launch/free-run-id.ts';
import type { ExternalItem } from '../../engine/input/external-item.ts';
import type { ByOption } from '../../engine/input/read-by.ts';
import type { Run } from '../../engine/run.ts';
import { followRun, type FollowOptions, type RunNews } from './follow-run.ts';
import { LiveReplies } from './live-replies.ts';

const longestName = 500;
/** Milliseconds after its end during which an answer is still streamed to clients that reconnect. */
const justNowMs = 30_000;

/** A message, and the person who wrote it. */
interface SaidBy {
  readonly message: ExternalItem;
  readonly by: string;
}

/** Runs of a conversation, oldest first: one, and a fork for each time the user continued after its end. */
interface Chain {
  /** Id of the latest run; undefined when there is none yet. */
  readonly current: string | undefined;
  /** Id of the run to create next. */
  readonly next: RunId;
}

/**
 * Runs behind the conversations of other programs, which choose the names.
 *
 * 1. A conversation is a run: the one with that id, or else one whose id is derived from the name. So it is found without stored
 *    state, also after a restart.
 * 2. After the end of a run, the next message continues in a fork, whose id is derived from the name and a number.
 * 3. Requests of one conversation run in order: two concurrent first messages launch one run.
 */
export class Threads {
  readonly #engine: Engine;
  readonly #live = new Map<Run, LiveReplies>();
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Runs an action in a conversation once all earlier ones are done. */
  async inOrder<T>(name: string, act: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name);
    const done = (before ?? Promise.resolve()).then(act, act);
    this.#last.set(name, done);
    try {
      return await done;
    } finally {
      if (this.#last.get(name) === done) this.#last.delete(name);
    }
  }

  /** Returns the runs of a conversation. */
  async chain(name: string): Promise<Chain> {
    let current = idPattern.test(name) && (await this.#exists(name)) ? name : undefined;
    for (let number = 1; ; number++) {
      const id = derivedId(name, number);
      if (!(await this.#exists(id))) return { current, next: id };
      current = id;
    }
  }

  /** Resumes the run of a conversation; undefined when there is none yet. */
  async resume(name: string, by: ByOption): Promise<Run | undefined> {
    const { current } = await this.chain(name);
    return current === undefined ? undefined : await this.#engine.resume(current, by);
  }

  /** Continues a conversation whose run has ended in a fork of it, which begins with the message. */
  async continueInFork(name: string, over: Run, { message, by }: SaidBy): Promise<Run> {
    const { next } = await this.chain(name);
    return await this.#engine.fork(over.id, { runId: next, message, by });
  }

  /**
   * Returns the run of a conversation if this process has it and a client that just loaded the messages may lack some of its answer:
   * the run is working, waits for a person, or did so a moment ago.
   */
  async unfinished(name: string): Promise<Run | undefined> {
    const { current } = await this.chain(name);
    const run = current === undefined ? undefined : this.#engine.live(current);
    if (run === undefined) return undefined;
    const { status, pending, at } = run.state;
    return status === 'running' || pending > 0 || Math.abs(Date.now() - at) < justNowMs ? run : undefined;
  }

  /** Listens to a run from now on, so that later readers get replies from their beginning. */
  listen(run: Run): Listening {
    const live = this.#live.get(run) ?? new LiveReplies(run, () => this.#live.delete(run));
    this.#live.set(run, live);
    const stop = live.add({});
    return { run, follow: (options) => followRun(run, { journal: this.#engine.records, live }, options), stop };
  }

  async #exists(id: string): Promise<boolean> {
    return this.#engine.live(id) !== undefined || (await isKnown(this.#engine.records, id as RunId));
  }
}

/** A run that is being listened to, until `stop` is called. */
export interface Listening {
  readonly run: Run;
  /** Follows the run until it has settled. */
  readonly follow: (options: FollowOptions) => AsyncGenerator<RunNews>;
  readonly stop: () => void;
}

/** Checks the name of a conversation. */
export function checkName(value: unknown, place: string): string {
  if (typeof value === 'string' && value !== '' && value.length <= longestName) return value;
  throw new CadreError('REQUEST_INVALID', `${place} must be a text of 1 to ${longestName} characters`);
}

function derivedId(name: string, number: number): RunId {
  const made = createHash('sha256').update(name).digest('base64url').slice(0, 32);
  return (number === 1 ? `thread-${made}` : `thread-${made}.${number}`) as RunId;
}
