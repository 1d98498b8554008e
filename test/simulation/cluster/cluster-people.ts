import type { RunId } from '../../../src/core/ids.ts';
import type { Run } from '../../../src/index.ts';
import { choosePlan, rootProfiles } from './cluster-team.ts';
import type { ClusterWorld } from './cluster-world.ts';
import type { SimProcess } from './sim-process.ts';

/** Something that a person did: no answer yet, acknowledged, refused, or failed so that nobody knows whether it was done. */
export interface Act {
  readonly kind: 'launch' | 'send' | 'verdict' | 'answer' | 'cancel';
  runId: RunId | undefined;
  /** Word of a message by which it is found in the journal; or the call that an answer is for. */
  readonly about: string;
  outcome: 'open' | 'done' | 'refused' | 'unknown';
  readonly by: SimProcess;
}

/** Codes for what comes too late. */
const late: ReadonlySet<string> = new Set(['RUN_ENDED', 'AGENT_ENDED', 'PENDING_UNKNOWN', 'APPROVAL_CHANGED']);
/** Codes for what comes to a process that cannot take it just now: whether it was done is not known. */
const unknown: ReadonlySet<string> = new Set(['ENGINE_CLOSED', 'STORE_FAILED', 'STORE_CONFLICT', 'RUN_LOCKED', 'RUNTIME_FAILED']);

/** The people outside, who launch, send, decide and cancel; what they did is held against the journal. */
export class ClusterPeople {
  readonly #world: ClusterWorld;
  readonly acts: Act[] = [];
  #words = 0;

  constructor(world: ClusterWorld) {
    this.#world = world;
  }

  /** Launches a run. */
  launch(process: SimProcess): void {
    const { engine } = process;
    if (engine === undefined) return;
    const profile = this.#world.people.pick(rootProfiles);
    this.#do(process, { kind: 'launch', about: '', runId: undefined }, async (act) => {
      const run = await engine.launch({ profile, input: choosePlan(this.#world) });
      act.runId = run.id;
      this.#keep(process, run);
    });
  }

  /** Takes up a run that another process launched. */
  resume(process: SimProcess, runId: RunId): void {
    const { engine } = process;
    if (engine === undefined) return;
    process.resuming.add(runId);
    void engine
      .resume(runId)
      .then(
        (run) => this.#keep(process, run),
        (thrown: unknown) => this.#refused(process, thrown),
      )
      .finally(() => process.resuming.delete(runId));
  }

  /** Does one thing at random to one of the runs. */
  act(process: SimProcess): void {
    const { people } = this.#world;
    const runs = [...process.runs.values()];
    if (runs.length < 3 && people.chance(0.4)) return this.launch(process);
    const run = runs.length === 0 ? undefined : people.pick(runs);
    if (run === undefined) return;
    const kind = people.int(10);
    if (kind < 4) this.#send(process, run);
    else if (kind < 9) this.#decide(process, run, people.chance(0.3));
    else this.#cancel(process, run);
  }

  /** Decides whatever still waits for a person, and ends runs that wait for messages; false when nothing does. */
  decideLast(process: SimProcess): boolean {
    const runs = [...process.runs.values()].filter(({ state }) => state.outcome === undefined);
    const busy = new Set(this.acts.flatMap(({ outcome, by, runId }) => (outcome === 'open' && by === process ? [runId] : [])));
    const free = runs.filter(({ id }) => !busy.has(id));
    const waiting = free.find(({ pending }) => pending.length > 0);
    if (waiting !== undefined) this.#decide(process, waiting, false);
    const idle = free.find(({ state }) => state.status === 'awaiting');
    if (waiting === undefined && idle !== undefined) this.#cancel(process, idle);
    return waiting !== undefined || idle !== undefined;
  }

  #send(process: SimProcess, run: Run): void {
    const { people } = this.#world;
    this.#words += 1;
    const word = `«${this.#words}»`;
    const options = {
      ...(people.chance(0.5) ? { itemId: `mine-${this.#words}` } : {}),
      ...(people.chance(0.3) ? { priority: 'now' as const } : {}),
    };
    this.#do(process, { kind: 'send', about: word, runId: run.id }, async () => {
      const { delivered } = await run.send(`${word} ${choosePlan(this.#world)}`, options);
      delivered.catch(() => undefined);
    });
  }

  #decide(process: SimProcess, run: Run, isTwice: boolean): void {
    const { people } = this.#world;
    const [pending] = run.pending;
    if (pending === undefined) return;
    const { id, callId = id } = pending;
    const isApproval = pending.kind === 'approval';
    const decide = async (): Promise<void> => {
      if (!isApproval) await run.answer(id, people.pick(['happened', 'not_happened', 'unknown']));
      else if (people.chance(0.7)) await run.approve(id);
      else await run.reject(id, { message: 'no' });
    };
    const act = { kind: isApproval ? ('verdict' as const) : ('answer' as const), about: callId, runId: run.id };
    this.#do(process, act, decide);
    if (isTwice) this.#do(process, act, decide);
  }

  #cancel(process: SimProcess, run: Run): void {
    this.#do(process, { kind: 'cancel', about: '', runId: run.id }, async () => await run.cancel('enough'));
  }

  #do(process: SimProcess, what: Pick<Act, 'kind' | 'about' | 'runId'>, work: (act: Act) => Promise<void>): void {
    const act: Act = { ...what, outcome: 'open', by: process };
    this.acts.push(act);
    work(act).then(
      () => (act.outcome = 'done'),
      (thrown: unknown) => {
        act.outcome = this.#refused(process, thrown) ? 'refused' : 'unknown';
      },
    );
  }

  #keep(process: SimProcess, run: Run): void {
    process.runs.set(run.id, run);
    run.result.catch(() => undefined);
  }

  /** True when an error says that nothing was done. */
  #refused(process: SimProcess, thrown: unknown): boolean {
    const { code = '' } = thrown as { readonly code?: string };
    if (process.state !== 'dead' && !late.has(code) && !unknown.has(code))
      this.#world.violated(`a person gets an error that is none of theirs: ${String(thrown)}`);
    return late.has(code);
  }
}
