import { createHash } from 'node:crypto';
import { CadreError } from '../../core/error.ts';
import { idPattern, type RunId } from '../../core/ids.ts';
import type { Engine } from '../../engine/engine.ts';
import { isKnown } from '../../engine/launch/free-run-id.ts';
import type { ExternalItem } from '../../engine/input/external-item.ts';
import type { Run } from '../../engine/run.ts';
import { followRun, type FollowOptions, type RunNews } from './follow-run.ts';
import { LiveReplies } from './live-replies.ts';

const longestName = 500;
/** How long after its end an answer is still told to clients that come back, in milliseconds. */
const justNowMs = 30_000;

/** The runs of a conversation, oldest first: one, and another one for each time it had to be taken up differently. */
interface Chain {
  /** The run that the conversation is at; undefined when there is none yet. */
  readonly current: string | undefined;
  /** The id of the one to come. */
  readonly next: RunId;
}

/**
 * The runs behind the conversations of other programs, which name them as they like.
 *
 * 1. A conversation is a run: the one whose id it bears, or else one whose id is made from its name. So it is found again without
 *    anything being remembered, also after a restart.
 * 2. Where a run is over, what the user says next goes on in a fork of it, whose id is made from the name and a number.
 * 3. What is done in one conversation is done in order: two first messages at once make one run.
 */
export class Threads {
  readonly #engine: Engine;
  readonly #live = new Map<Run, LiveReplies>();
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Does something in a conversation once everything before it is done. */
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

  /** The runs of a conversation. */
  async chain(name: string): Promise<Chain> {
    let current = idPattern.test(name) && (await this.#exists(name)) ? name : undefined;
    for (let number = 1; ; number++) {
      const id = derivedId(name, number);
      if (!(await this.#exists(id))) return { current, next: id };
      current = id;
    }
  }

  /** Takes up the run of a conversation where its journal stands; undefined when there is none yet. */
  async takeUp(name: string): Promise<Run | undefined> {
    const { current } = await this.chain(name);
    return current === undefined ? undefined : await this.#engine.resume(current);
  }

  /** Goes on with a conversation whose run is over: in a fork of it, which begins with what the user says. */
  async goOnInFork(name: string, over: Run, message: ExternalItem): Promise<Run> {
    const { next } = await this.chain(name);
    return await this.#engine.fork(over.id, { runId: next, message });
  }

  /**
   * The run of a conversation, when this process has it and a client that just loaded the messages may lack some of its answer: it is
   * at work, waits for a person, or has done either a moment ago.
   */
  async unfinished(name: string): Promise<Run | undefined> {
    const { current } = await this.chain(name);
    const run = current === undefined ? undefined : this.#engine.live(current);
    if (run === undefined) return undefined;
    const { status, pending, at } = run.state;
    return status === 'running' || pending > 0 || Math.abs(Date.now() - at) < justNowMs ? run : undefined;
  }

  /** Listens to a run from now on, so that what follows is told from the beginning of its replies. */
  listen(run: Run): Listening {
    const live = this.#live.get(run) ?? new LiveReplies(run, () => this.#live.delete(run));
    this.#live.set(run, live);
    const stop = live.add({});
    return { run, follow: (options) => followRun(run, this.#engine.records, live, options), stop };
  }

  async #exists(id: string): Promise<boolean> {
    return this.#engine.live(id) !== undefined || (await isKnown(this.#engine.records, id as RunId));
  }
}

/** A run that is listened to, until `stop` is called. */
export interface Listening {
  readonly run: Run;
  /** Follows the run until it has settled. */
  readonly follow: (options: FollowOptions) => AsyncGenerator<RunNews>;
  readonly stop: () => void;
}

/** Refuses what is no name of a conversation. */
export function checkName(value: unknown, place: string): string {
  if (typeof value === 'string' && value !== '' && value.length <= longestName) return value;
  throw new CadreError('REQUEST_INVALID', `${place} must be a text of 1 to ${longestName} characters`);
}

function derivedId(name: string, number: number): RunId {
  const made = createHash('sha256').update(name).digest('base64url').slice(0, 32);
  return (number === 1 ? `thread-${made}` : `thread-${made}.${number}`) as RunId;
}
