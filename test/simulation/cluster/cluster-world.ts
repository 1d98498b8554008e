import type { Journal } from '../../../src/core/events/journal.ts';
import type { RunId } from '../../../src/core/ids.ts';
import type { CadreEvent } from '../../../src/index.ts';
import { createMemoryJournal } from '../../../src/testing/index.ts';
import { createRandom, type Random } from '../world/random.ts';
import { Scheduler } from '../world/scheduler.ts';
import { SimTime } from '../world/sim-clock.ts';
import { ClusterFaults } from './cluster-faults.ts';
import { MessageService } from './message-service.ts';
import type { SimProcess } from './sim-process.ts';

/** Options of one simulated cluster, all of them on the line that reproduces it. */
export interface ClusterOptions {
  readonly seed: number;
  /** A worker dies at this moment, counted from 1, and nothing else goes wrong. */
  readonly crashAt?: number;
}

/** One execution of a tool, as the world outside saw it. */
export interface Deed {
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  readonly attempt: number;
  readonly key: string;
  readonly process: SimProcess;
  state: 'running' | 'done' | 'stopped';
}

/** A violated invariant; the message says which. */
class ClusterViolation extends Error {
  override readonly name = 'Violation';
}

/** Everything outside the engines: the journal that they share, the message service, time, tools, and what goes wrong. */
export class ClusterWorld {
  readonly options: ClusterOptions;
  readonly faults: ClusterFaults;
  readonly order: Random;
  readonly people: Random;
  readonly scheduler = new Scheduler();
  readonly time = new SimTime();
  readonly journal: Journal = createMemoryJournal();
  readonly service: MessageService;
  readonly processes: SimProcess[] = [];
  readonly deeds: Deed[] = [];
  readonly violations: string[] = [];
  /** Requests to models, by run and turn. */
  readonly asked = new Map<string, number>();
  /** Moments that have passed at which a worker may die. */
  moments = 0;
  #deathsLeft: number;

  constructor(options: ClusterOptions) {
    const { seed, crashAt } = options;
    this.options = options;
    this.order = createRandom(seed, 'order');
    this.people = createRandom(seed, 'people');
    this.faults = new ClusterFaults(createRandom(seed, 'faults'), crashAt !== undefined);
    const deaths = this.order.int(6);
    this.#deathsLeft = crashAt === undefined ? deaths : 1;
    this.service = new MessageService(this);
  }

  /** Notes that an invariant is violated, and returns the error for the caller to throw. */
  violated(message: string): Error {
    this.violations.push(message);
    return new ClusterViolation(message);
  }

  /** Resolves when the turn of a process has come; never once it is dead. */
  turn(process: SimProcess, label: string): Promise<void> {
    return process.state === 'dead' ? new Promise(() => undefined) : this.scheduler.turn(process.id, label);
  }

  /** Returns the process that launched a run: its id says so. */
  launcherOf(runId: RunId): SimProcess | undefined {
    return this.processes[Number(/^p(\d+)_/.exec(runId)?.[1]) - 1];
  }

  readonly isHeld = (id: number): boolean => this.processes[id - 1]?.isPaused === true;

  /** True when a process dies at this moment of the protocol, or is dead already. */
  moment(process: SimProcess): boolean {
    if (process.state === 'dead') return true;
    if (process.kind === 'first') return false;
    const isNamed = this.options.crashAt !== undefined;
    if (process.kind === 'worker') this.moments += 1;
    else if (isNamed) return false;
    const kind = process.kind === 'worker' ? 'worker dies at a step' : 'launcher dies at a step';
    if (this.#deathsLeft === 0) return false;
    if (isNamed ? this.moments !== this.options.crashAt : !this.faults.strikes(kind, 0.02)) return false;
    if (isNamed) this.faults.count(kind);
    this.#deathsLeft -= 1;
    this.kill(process);
    return true;
  }

  /** Uses up one of the deaths that this seed has; false when there is none left. */
  spendDeath(): boolean {
    if (this.#deathsLeft === 0) return false;
    this.#deathsLeft -= 1;
    return true;
  }

  /** Ends a process as SIGKILL does. */
  kill(process: SimProcess): void {
    process.state = 'dead';
    this.scheduler.forget(process.id);
    this.time.forget(process.id);
    this.service.forget(process);
    this.service.giveUp(process);
    this.freeLeases(process);
  }

  /** Frees what an ordinary process held alone. */
  freeLeases(process: SimProcess): void {
    for (const lease of process.leases) void this.journal.release(lease);
    process.leases.clear();
  }

  /** Notes that a tool begins, and holds it against the journal. */
  begin(deed: Omit<Deed, 'state'>): Deed {
    const { runId, callId, tool, attempt, key } = deed;
    const begun: Deed = { ...deed, state: 'running' };
    const earlier = this.deeds.filter((each) => each.runId === runId && each.callId === callId && each.tool === tool);
    this.deeds.push(begun);
    if (tool === 'look' || tool === 'look_up') return begun;
    const where = `'${tool}' (${callId}, attempt ${attempt}) of ${runId}`;
    const events = this.journal.read(runId as RunId) as readonly CadreEvent[];
    const starts = events.filter((event) => event.type === 'tool.start' && event.callId === callId);
    if (!starts.some((event) => event.type === 'tool.start' && event.attempt === attempt))
      throw this.violated(`an effect before its commit: ${where} runs, and its start is not in the journal`);
    if (earlier.some((each) => each.key !== key)) throw this.violated(`${where} has another idempotency key than before`);
    if (tool === 'note' || earlier.length === 0) return begun;
    const since = starts.at(-1)?.seq ?? 0;
    const isAbsolved = events.some(
      (event) =>
        event.seq < since &&
        ((event.type === 'tool.verify' && event.callId === callId && event.answer === 'not_happened') ||
          (event.type === 'tool.answer' && event.callId === callId && event.value === 'not_happened')),
    );
    if (!isAbsolved || earlier.some((each) => each.attempt === attempt)) throw this.violated(`I5: ${where} runs a second time`);
    return begun;
  }
}
