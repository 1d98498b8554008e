import type { CallId, RunId, TurnId } from '../../../src/core/ids.ts';
import { type Cast, chooseCast } from '../team/cast.ts';
import { DecisionLog } from '../../support/rebuild/decision-log.ts';
import { Disk } from '../disk/disk.ts';
import { Faults } from './faults.ts';
import type { Mechanism, MechanismCounts } from './mechanisms.ts';
import type { ProfileFile } from '../../../src/core/profile/profile.ts';
import type { Host } from '../process/host.ts';
import { createRandom, type Random } from './random.ts';
import { Scheduler } from './scheduler.ts';
import { SimTime } from './sim-clock.ts';

/** Options of one simulated run, all of them on the line that reproduces it. */
export interface SimulationOptions {
  readonly seed: number;
  /** Crash at this moment, counted from 1, and let nothing else go wrong. */
  readonly crashAt?: number;
  /** Its decisions are not made again from the journal; on for those that only want to be fast. */
  readonly skipsDecisions?: boolean;
}

/** One execution of a tool, as the outside world saw it. */
export interface Execution {
  readonly runId: RunId;
  readonly callId: CallId;
  readonly name: string;
  /** Arguments of the call, as JSON. */
  readonly args: string;
  readonly attempt: number;
  readonly host: number;
  readonly mark: string;
  readonly signal: AbortSignal;
  isOver: boolean;
  /** It handed in its result. */
  isSaid: boolean;
  /** True when it happened; undefined until it was checked. */
  happened: boolean | undefined;
}

/** One request a model received. */
export interface ModelRequestRecord {
  readonly runId: RunId;
  readonly turnId: TurnId;
  readonly host: number;
  /** The prompt as JSON. */
  readonly text: string;
  readonly signal: AbortSignal | undefined;
  isOver: boolean;
  /** A fork of the run waits for an answer to the same turn: which of them asked is not said. */
  readonly mayBeAnothers: boolean;
}

/** Fate of a process at a moment at which it may die. */
export type Fate = 'lives' | 'dies';

/** Moments at which a crash may strike; `--crash-at` counts them. */
export type Moment = 'before a write' | 'after a write' | 'between';

/** Thrown when an invariant does not hold; the message says which. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/** Everything outside the engine under test: its disk, its models and tools, time, people, and what goes wrong. */
export class World {
  readonly seed: number;
  readonly options: SimulationOptions;
  readonly faults: Faults;
  readonly order: Random;
  readonly replies: Random;
  /** Choices of people's actions on whole runs: forks, more launches. */
  readonly deeds: Random;
  readonly people: Random;
  readonly scheduler = new Scheduler();
  readonly time = new SimTime();
  readonly cast: Cast;
  readonly disk: Disk;
  /** All processes there were. */
  readonly hosts: Host[] = [];
  /** Runs whose launch, fork or resumption was acknowledged. */
  readonly acknowledgedRuns = new Set<RunId>();
  readonly executions: Execution[] = [];
  readonly requests: ModelRequestRecord[] = [];
  /** Requests for summaries of older messages. */
  readonly summaries: ModelRequestRecord[] = [];
  /** Number of crashes still allowed. */
  crashesLeft: number;
  /** Moments that have passed. */
  moments = 0;
  /** Violations found where no caller could receive an error. */
  readonly violations: string[] = [];
  /** Counts of reached mechanisms, besides faults. */
  readonly mechanisms: MechanismCounts = {};
  readonly #versions: Random;
  readonly #versionOf = new Map<number, number>();
  /** Every decision of its processes, to be made again from the journal. */
  readonly decisions = new DecisionLog();
  #marks = 0;

  constructor(options: SimulationOptions) {
    this.options = options;
    this.seed = options.seed;
    this.order = createRandom(options.seed, 'order');
    this.replies = createRandom(options.seed, 'replies');
    this.people = createRandom(options.seed, 'people');
    this.deeds = createRandom(options.seed, 'deeds');
    this.#versions = createRandom(options.seed, 'versions');
    this.cast = chooseCast(options.seed);
    const kind = { isCalm: options.crashAt !== undefined, isLong: this.cast.isLong };
    this.faults = new Faults(createRandom(options.seed, 'faults'), kind);
    // Drawn in any case, so that a run with a named crash goes like the one without until then.
    const crashes = this.order.int(4);
    this.crashesLeft = options.crashAt === undefined ? crashes : 1;
    this.disk = new Disk(this);
  }

  /** A word that occurs nowhere else, by which a text is found again wherever it goes. */
  mark(kind: 'item' | 'words' | 'result' | 'ephemeral' | 'note' | 'summary'): string {
    return `«${kind.charAt(0)}${++this.#marks}»`;
  }

  /** Counts something runs come by. */
  reached(mechanism: Mechanism): void {
    this.mechanisms[mechanism] = (this.mechanisms[mechanism] ?? 0) + 1;
  }

  /** Returns the profile files as a process finds them; they may have changed since the process before. */
  filesOf(host: number): readonly ProfileFile[] {
    return this.cast.files(this.versionOf(host));
  }

  /** Returns the version of the files that a process finds. */
  versionOf(host: number): number {
    const known = this.#versionOf.get(host);
    if (known !== undefined) return known;
    const version = (this.#versionOf.get(host - 1) ?? 0) + (host > 1 && this.#versions.chance(0.25) ? 1 : 0);
    this.#versionOf.set(host, version);
    return version;
  }

  /** Records that an invariant is violated, and returns the error for the caller to throw. */
  violated(message: string): Violation {
    this.violations.push(message);
    return new Violation(message);
  }

  /** Asks what happens to a process right now. */
  moment(host: Host, place: Moment): Fate {
    if (host.state !== 'alive') return host.state === 'dead' ? 'dies' : 'lives';
    this.moments += 1;
    const isNamed = this.options.crashAt !== undefined;
    if (this.crashesLeft === 0 || (this.faults.stopped && !isNamed)) return 'lives';
    const kind =
      place === 'between' ? 'crash between' : place === 'before a write' ? 'crash before a write' : 'crash after a write';
    const strikes = !isNamed ? this.faults.strikes(kind, place === 'between' ? 0.01 : 0.04) : this.options.crashAt === this.moments;
    if (!strikes) return 'lives';
    if (isNamed) this.faults.count(kind);
    if (host.isTakingUp) this.faults.count('crash in recovery');
    this.crashesLeft -= 1;
    // With a named crash both are tried, each at every other moment.
    const isCut = isNamed ? this.moments % 2 === 0 : this.faults.strikes('power cut', 0.5);
    if (isCut) this.cutPower();
    else this.kill(host);
    return 'dies';
  }

  /** Ends a process as SIGKILL does: what it has not written is gone. */
  kill(host: Host): void {
    host.state = 'dead';
    this.scheduler.forget(host.id);
    this.time.forget(host.id);
    this.disk.abandon(host);
  }

  /** Ends all processes, and whatever of their writes was not synced may be gone. */
  cutPower(): void {
    for (const host of this.hosts) {
      if (host.state === 'dead') continue;
      host.state = 'dead';
      this.scheduler.forget(host.id);
      this.time.forget(host.id);
    }
    this.disk.cutPower();
  }

  /** Forgets what was decided, asked and run for events, turns and calls that a power cut took: their numbers and ids will mean others. */
  forgetLost(lengths: ReadonlyMap<RunId, number>): void {
    const decisions = this.decisions.decisions.filter(({ runId, seq }) => seq <= (lengths.get(runId) ?? 0));
    this.decisions.decisions.splice(0, this.decisions.decisions.length, ...decisions);
    const isThere = (runId: RunId, kind: 'turns' | 'attempts', id: string): boolean => this.disk.factsOf(runId)[kind].has(id);
    const requests = this.requests.filter(({ runId, turnId }) => isThere(runId, 'turns', turnId));
    const executions = this.executions.filter(({ runId, callId }) => isThere(runId, 'attempts', callId));
    this.requests.splice(0, this.requests.length, ...requests);
    this.executions.splice(0, this.executions.length, ...executions);
  }

  /** Takes a process for dead although it lives on: its leases are up for taking. */
  disown(host: Host): void {
    host.state = 'stale';
    this.disk.abandon(host);
  }
}
