import type { Clock } from '../../core/clock.ts';
import type { Env } from '../../core/env.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import { activeAt, steadyAt } from '../../core/state/run-time.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { type Deadline, expiryDeadline, lastTurnDeadline, runDeadlines, wallDeadlines } from '../../nodes/limits/deadlines.ts';

/** Services for the timers of a run. */
export interface TimerPorts {
  readonly clock: Clock;
  /** Milliseconds the wall clock has jumped that no event records yet. */
  readonly unnoticedMs: () => number;
  /** Current environment: profiles may change while a run goes on. */
  readonly env: () => Env;
  /** Receives the deadlines that have come due. */
  readonly onDue: (deadlines: readonly Deadline[]) => void;
}

// Node turns anything longer into 1 ms; a longer wait takes several timers.
const longestTimer = 2 ** 31 - 1;

/** Types of events that may set a timer or stop all. */
const settingTypes: ReadonlySet<CadreEvent['type']> = new Set([
  'run.start',
  'run.resume',
  'run.status',
  'run.end',
  'profiles.update',
  'clock.jump',
  'agent.start',
  'agent.release',
  'agent.restart',
  'limit.reach',
  'tool.suspend',
]);
/** Those, and types of events that may end the wait for an expiry. */
const settingOrEndingTypes: ReadonlySet<CadreEvent['type']> = new Set([...settingTypes, 'tool.answer', 'tool.end']);

/**
 * Time-driven work of one run: deadlines of the run, its agents and modules, and expiries.
 *
 * Owns: when a deadline is checked. Does not own: its consequences (`nodes/limits/deadlines.ts`).
 * 1. Deadlines derive from state alone: the same after every recovery; none is in the journal.
 * 2. At most one timer of the clock is armed. A commit without deadlines costs one look at its events.
 * 3. Deadlines count the time the run works, and pause while it waits for people; expiries count all time.
 * 4. An expiry keeps the process alive until it is decided: the run goes on then. Deadlines do not.
 */
export class RunTimers {
  readonly #ports: TimerPorts;
  readonly #working = new DueHeap<Deadline>();
  readonly #always = new DueHeap<Deadline>();
  #cancel: (() => void) | undefined;

  constructor(ports: TimerPorts) {
    this.#ports = ports;
  }

  /** Sets all timers of a run, by its state alone. */
  begin(run: RunContext): void {
    this.#derive(run);
    this.#arm(run);
  }

  /** Follows a commit. */
  note(run: RunContext, events: readonly CadreEvent[]): void {
    const types = this.#always.next === undefined ? settingTypes : settingOrEndingTypes;
    let isChanged = false;
    for (let index = 0; index < events.length; index += 1) {
      const event = events[index];
      if (event !== undefined && types.has(event.type)) isChanged = this.#see(run, event) || isChanged;
    }
    if (isChanged) this.#arm(run);
  }

  /** Stops all timers. */
  stop(): void {
    this.#working.clear();
    this.#always.clear();
    this.#disarm();
  }

  #see(run: RunContext, event: CadreEvent): boolean {
    switch (event.type) {
      case 'run.start':
      case 'run.resume':
      // Limits may have changed.
      case 'profiles.update':
        this.#derive(run);
        return true;
      case 'run.status':
      case 'clock.jump':
        return true;
      case 'run.end':
        this.stop();
        return false;
      case 'agent.start':
      case 'agent.release':
      case 'agent.restart':
        return this.#addAgent(run, run.agents.get(event.agentId));
      case 'limit.reach':
        if (event.stage === 2) this.#add(lastTurnDeadline(this.#ports.env(), run, run.agents.get(event.agentId)), this.#working);
        return event.stage === 2;
      // The expiring call may have been decided.
      case 'tool.answer':
      case 'tool.end':
        return true;
      case 'tool.suspend':
        if (event.on.kind === 'agents' || event.on.expires === undefined) return false;
        this.#add(expiryDeadline(run.agents.get(event.agentId)?.calls.open.get(event.callId)), this.#always);
        return true;
      default:
        return false;
    }
  }

  /** Rebuilds all deadlines from state, as after a resume. */
  #derive(run: RunContext): void {
    this.#working.clear();
    this.#always.clear();
    for (const due of runDeadlines(run)) this.#working.add(due.at, due);
    for (const agent of run.agents.values()) {
      if (agent.status === 'ended') continue;
      this.#addAgent(run, agent);
      this.#add(lastTurnDeadline(this.#ports.env(), run, agent), this.#working);
      for (const call of agent.calls.open.values()) this.#add(expiryDeadline(call), this.#always);
    }
  }

  #addAgent(run: RunContext, agent: SubContext | undefined): boolean {
    const deadlines = agent === undefined ? [] : wallDeadlines({ env: this.#ports.env(), run, agent });
    for (const due of deadlines) this.#working.add(due.at, due);
    return deadlines.length > 0;
  }

  #add(due: Deadline | undefined, to: DueHeap<Deadline>): void {
    if (due !== undefined) to.add(due.at, due);
  }

  #arm(run: RunContext): void {
    this.#disarm();
    if (run.outcome !== undefined) return;
    this.#always.dropFirstWhile((due) => !isWaitedFor(run, due));
    const { clock, onDue, unnoticedMs } = this.#ports;
    // The clock may have been set while a commit was being written: deadlines would shift by as much.
    const now = clock.now() - unnoticedMs();
    const active = activeAt(run, now);
    const steady = steadyAt(run, now);
    const isWorking = run.status === 'running';
    const untilDeadline = isWorking ? (this.#working.next ?? Number.POSITIVE_INFINITY) - active : Number.POSITIVE_INFINITY;
    const untilExpiry = (this.#always.next ?? Number.POSITIVE_INFINITY) - steady;
    const wait = Math.max(0, Math.min(untilDeadline, untilExpiry));
    if (wait === Number.POSITIVE_INFINITY) return;
    const hop = Math.min(Math.ceil(wait), longestTimer);
    this.#cancel = clock.setTimer(
      hop,
      () => {
        this.#cancel = undefined;
        const deadlines = [...(isWorking ? this.#working.takeDue(active + hop) : []), ...this.#always.takeDue(steady + hop)];
        if (deadlines.length > 0) onDue(deadlines);
        this.#arm(run);
      },
      // A mere deadline keeps no process alive; an expiry does, since it lets the run go on without the person.
      { background: this.#always.next === undefined },
    );
  }

  #disarm(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/** True when a call still waits as it did when its expiry was noted. */
function isWaitedFor(run: RunContext, due: Deadline): boolean {
  if (due.kind !== 'expiry') return true;
  return expiryDeadline(run.agents.get(due.agentId)?.calls.open.get(due.callId))?.at === due.at;
}

/** An item and the time it comes due. */
interface Entry<Item> {
  readonly at: number;
  readonly item: Item;
}

/** Items ordered by due time, the earliest first: adding and taking cost O(log n). */
class DueHeap<Item> {
  readonly #entries: Entry<Item>[] = [];

  /** Time at which the first item comes due; undefined when there is none. */
  get next(): number | undefined {
    return this.#entries[0]?.at;
  }

  add(at: number, item: Item): void {
    const entries = this.#entries;
    let index = entries.push({ at, item }) - 1;
    while (index > 0) {
      const above = (index - 1) >> 1;
      if (!this.#swapIfEarlier(index, above)) return;
      index = above;
    }
  }

  /** Takes every item that is due at `at`. */
  takeDue(at: number): Item[] {
    const due: Item[] = [];
    for (let first = this.#entries[0]; first !== undefined && first.at <= at; first = this.#entries[0]) {
      due.push(first.item);
      this.#dropFirst();
    }
    return due;
  }

  /** Drops first items while they are over. */
  dropFirstWhile(isOver: (item: Item) => boolean): void {
    for (let first = this.#entries[0]; first !== undefined && isOver(first.item); first = this.#entries[0]) this.#dropFirst();
  }

  clear(): void {
    this.#entries.length = 0;
  }

  #dropFirst(): void {
    const entries = this.#entries;
    const last = entries.pop();
    if (last === undefined || entries.length === 0) return;
    entries[0] = last;
    for (let index = 0; ;) {
      const left = index * 2 + 1;
      const right = left + 1;
      const smaller = this.#isEarlier(right, left) ? right : left;
      if (!this.#swapIfEarlier(smaller, index)) return;
      index = smaller;
    }
  }

  #isEarlier(index: number, than: number): boolean {
    const [one, other] = [this.#entries[index], this.#entries[than]];
    return one !== undefined && other !== undefined && one.at < other.at;
  }

  #swapIfEarlier(index: number, above: number): boolean {
    const [one, other] = [this.#entries[index], this.#entries[above]];
    if (one === undefined || other === undefined || one.at >= other.at) return false;
    this.#entries[index] = other;
    this.#entries[above] = one;
    return true;
  }
}
