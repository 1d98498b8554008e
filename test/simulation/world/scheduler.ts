import type { Random } from './random.ts';

/** Something outside the engine that is about to happen: an answer, a result, an acknowledged write. */
interface Task {
  /** The process it happens to; it goes with it. */
  readonly host: number;
  readonly label: string;
  readonly run: () => void;
}

/**
 * Everything concurrent, waiting for its turn. The engine under test runs until it has nothing left to do, then one task is
 * chosen by the seed: any order in which the world could answer is some seed's order.
 */
export class Scheduler {
  readonly #tasks: Task[] = [];

  /** Number of waiting tasks. */
  get size(): number {
    return this.#tasks.length;
  }

  /** Labels of waiting tasks, for messages about stuck runs. */
  get labels(): readonly string[] {
    return this.#tasks.map(({ host, label }) => `${label} of process ${host}`);
  }

  /** Adds something that will happen; the returned function takes it back. */
  add(host: number, label: string, run: () => void): () => void {
    const task = { host, label, run };
    this.#tasks.push(task);
    return () => this.#remove(task);
  }

  /** Resolves when its turn has come. */
  turn(host: number, label: string): Promise<void> {
    return new Promise((resolve) => this.add(host, label, resolve));
  }

  /** Number of waiting tasks that may happen. */
  ready(isHeld: (host: number) => boolean): number {
    return this.#tasks.reduce((count, { host }) => (isHeld(host) ? count : count + 1), 0);
  }

  /** Lets one task happen; those of processes that are held wait. */
  step(random: Random, isHeld?: (host: number) => boolean): void {
    const task = random.pick(isHeld === undefined ? this.#tasks : this.#tasks.filter(({ host }) => !isHeld(host)));
    this.#remove(task);
    task.run();
  }

  /** A process is gone: nothing happens to it any more. */
  forget(host: number): void {
    const left = this.#tasks.filter((task) => task.host !== host);
    this.#tasks.splice(0, this.#tasks.length, ...left);
  }

  #remove(task: Task): void {
    const index = this.#tasks.indexOf(task);
    if (index >= 0) this.#tasks.splice(index, 1);
  }
}
