import { CadreError } from '../core/error.ts';
import { applyEvent, foldEvents, startRun } from '../core/fold/apply-event.ts';
import type { ContentHash, RunId } from '../core/ids.ts';
import type { JournalReader, Lease, RunsFilter, RunSummary } from '../core/journal.ts';
import type { ProfileSet } from '../core/profile.ts';
import type { RunState } from '../core/state.ts';
import { profilesOf, toolsetsNeeded } from './toolsets-needed.ts';
import { readOwnState, readState, withAllPast } from './read-state.ts';
import { engineVersion } from './version.ts';
import type { Input } from './decide.ts';
import type { EngineParts, ForkOptions, LaunchOptions, LaunchRequest, ResumeOptions, Workbench } from './engine-parts.ts';
import { chosenWorkbench, planResume, workbenchOf } from './resume-plan.ts';
import { recoverEach, type RecoveredRun, type RecoverOptions } from './recovered-run.ts';
import { cancelOnAbort } from './cancel-on-abort.ts';
import { checkLaunch } from './check-launch.ts';
import { createContentCache } from './content-cache.ts';
import { forkMessage } from './fork-message.ts';
import { forkedEvents } from './forked-events.ts';
import { freeRunId } from './free-run-id.ts';
import { HaltedRuns } from './halted-runs.ts';
import { leaveWhenOver } from './leave-when-over.ts';
import { Leases } from './leases.ts';
import { runLimits } from './limit-options.ts';
import { LiveThings } from './live-things.ts';
import { startEvent } from './start-event.ts';
import type { Run } from './run.ts';
import type { RunActor } from './run-actor.ts';
import { RunShelf } from './run-shelf.ts';
import { runHandle, type RunHandle } from './run-handle.ts';
import { toUserPayload, withAttachments } from './user-payload.ts';

/** Launches, resumes and lists runs over one journal. */
export class Engine {
  readonly #parts: EngineParts;
  readonly #leases: Leases;
  readonly #live = new Map<RunId, { readonly run: Run; readonly actor: RunActor; readonly left: Promise<void> }>();
  /** Leases of runs that have ended and may still get late results. */
  readonly #ended = new Set<Lease>();
  readonly #resuming = new Map<string, Promise<Run>>();
  readonly #halted: HaltedRuns;
  readonly #content: (hash: ContentHash) => string | undefined;
  readonly #liveThings = new LiveThings('this engine');
  readonly #leaveToolsets: () => Promise<void>;
  /** The journal to read from, also runs that others advance. */
  readonly records: JournalReader;
  /** Titles, projects and deletion of runs. */
  readonly shelf: RunShelf;
  #closing: Promise<void> | undefined;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.records = parts.journal;
    this.shelf = new RunShelf(parts.journal, parts.clock);
    this.#leases = new Leases(parts);
    this.#halted = new HaltedRuns(parts.clock, (runId, options) => this.resume(runId, options));
    this.#content = createContentCache(parts.journal);
    this.#leaveToolsets = parts.toolsets.use((news) => {
      for (const { actor } of this.#live.values()) actor.tell({ kind: 'toolset', ...news });
    });
  }

  /** The profiles this engine launches runs with. */
  get profiles(): ProfileSet {
    return this.#parts.workbench.set;
  }

  /** Where the journal is, for people. */
  get location(): string {
    return this.#parts.journal.location;
  }

  /** Starts a run. Fails when the profile is unknown or disabled, its model is not configured, or the engine is closed. */
  async launch(request: LaunchRequest, options: LaunchOptions = {}): Promise<Run> {
    this.#assertOpen();
    const { workbench, ids, clock, workspaceOf } = this.#parts;
    const profile = checkLaunch(this.#parts, request, options);
    await this.#toolsetsReady(workbench.set, [profile.name]);
    const runId = request.runId === undefined ? ids.runId() : await freeRunId(this.#parts.journal, request.runId);
    const payload = await withAttachments(toUserPayload(request.input), workspaceOf({ runId, workspace: options.workspace }));
    const { run, begun } = await this.#leases.take({ runId }, (lease) => {
      this.#assertOpen();
      const limits = runLimits(this.#parts.limits, options.limits);
      const facts = { runId, at: clock.now(), payload, profile: profile.name, limits, ids, snapshot: workbench.snapshot };
      const start = workbench.kernel.env.secrets.json(startEvent(facts, request, options));
      const { actor, run } = this.#activate(startRun(start), lease, workbench, options);
      const notes = options.notes === undefined ? {} : { notes: workbench.kernel.env.secrets.json(options.notes) };
      const prefix = { events: [start], contents: [workbench.snapshot] };
      return { run, begun: actor.begin(prefix, { kind: 'start', profile: profile.name, payload: start.input, ...notes }) };
    });
    await begun;
    this.#tellFailures(runId);
    return run;
  }

  /**
   * Takes a run up where its journal stands, with the profiles it went by or today's; answers with the live run if there is
   * one. What keeps it from going on (profiles, models, a text that is lost) is an error before anything is written.
   */
  async resume(runId: string, options: ResumeOptions = {}): Promise<Run> {
    this.#assertOpen();
    const live = this.#live.get(runId as RunId);
    if (live !== undefined && live.actor.halted === undefined) return live.run;
    // One that halted here gives its lease back first.
    await live?.left;
    // Two callers at once share one take-over.
    const resuming = this.#resuming.get(runId) ?? this.#takeUp(runId, options).finally(() => this.#resuming.delete(runId));
    this.#resuming.set(runId, resuming);
    return await resuming;
  }

  /**
   * Resumes every run that is not over and that no live process has, oldest first. One that cannot be resumed (held, damaged, its profiles
   * cannot be used) is reported with the reason and keeps no other from going on. `include` chooses among them.
   */
  async recover({ waitForHolder = true, include, onRun, ...options }: RecoverOptions = {}): Promise<readonly RecoveredRun[]> {
    const open = (await this.runs()).toReversed();
    return await recoverEach(open, { include, onRun }, async (runId, isPatient) =>
      this.#live.has(runId) ? undefined : await this.resume(runId, { ...options, waitForHolder: isPatient && waitForHolder }),
    );
  }

  /**
   * Ends a run for good; resolves when nothing of it is running any more. Of one that nobody advances nothing is begun again, and
   * neither its models nor its tools are needed.
   */
  async cancel(runId: string, reason = 'cancelled'): Promise<Run> {
    this.#assertOpen();
    const live = this.#live.get(runId as RunId);
    if (live?.actor.halted !== undefined) await live.left;
    const run = this.live(runId) ?? (await this.#takeForGood(runId, reason));
    await run.cancel(reason);
    return run;
  }

  async #takeForGood(runId: string, reason: string): Promise<Run> {
    // Whoever takes it up at this moment may be told to stop like any other.
    const resuming = await this.#resuming.get(runId)?.catch(() => undefined);
    if (resuming !== undefined) return resuming;
    const { journal } = this.#parts;
    const past = await readOwnState(journal, runId as RunId);
    if (past.outcome !== undefined) return await this.#ofThePast(past);
    const { run, begun } = await this.#leases.take({ runId: past.meta.runId, isPatient: true }, async (lease) => {
      const state = await readState(journal, past.meta.runId);
      // Profiles that do not compile any more keep nobody from ending what goes by them.
      const workbench = await workbenchOf(this.#parts, state).catch(() => this.#parts.workbench);
      if (state.outcome === undefined) return this.#goOn(state, lease, workbench, {}, { kind: 'cancel', reason });
      await journal.release(lease);
      return { run: await this.#ofThePast(state), begun: undefined };
    });
    await begun;
    return run;
  }

  async #takeUp(runId: string, options: ResumeOptions): Promise<Run> {
    const { journal } = this.#parts;
    const state = await readOwnState(journal, runId as RunId);
    if (state.outcome !== undefined) return await this.#ofThePast(state);
    const { set } = await chosenWorkbench(this.#parts, state, options.profiles ?? 'recorded');
    await this.#toolsetsReady(set, profilesOf(state));
    // Everything that keeps the run from going on is found out before it is taken.
    let plan = await planResume(this.#parts, state, options.profiles ?? 'recorded');
    const { run, begun } = await this.#leases.take({ runId: state.meta.runId, isPatient: options.waitForHolder }, async (lease) => {
      // Another process may have written between the read and the lease.
      const missed = await journal.read(state.meta.runId, { after: state.seq });
      for (const event of missed) applyEvent(state, event);
      if (state.outcome !== undefined) {
        await journal.release(lease);
        return { run: await this.#ofThePast(state), begun: undefined };
      }
      if (missed.length > 0) plan = await planResume(this.#parts, state, options.profiles ?? 'recorded');
      const { workbench, ...found } = plan;
      return this.#goOn(state, lease, workbench, options, { kind: 'recover', engineVersion, ...found });
    });
    await begun;
    this.#tellFailures(run.id);
    return run;
  }

  /** Brings a run to life that is in the journal; not awaited here, since a live run looks after its lease itself. */
  #goOn(
    state: RunState,
    lease: Lease,
    workbench: Workbench,
    options: LaunchOptions,
    input: Input,
  ): { readonly run: Run; readonly begun: Promise<void> } {
    this.#assertOpen();
    const { actor, run } = this.#activate(state, lease, workbench, options);
    return { run, begun: actor.submit(input) };
  }

  /** A handle on a run that nobody here advances. */
  async #ofThePast(past: RunState): Promise<Run> {
    const state = await withAllPast(this.#parts.journal, past);
    const workbench = await workbenchOf(this.#parts, state);
    return this.#handle(state, { runId: state.meta.runId, owner: '', epoch: -1 }, workbench).run;
  }

  /** The run of this id, if this engine advances it. */
  readonly live = (runId: string): Run | undefined => this.#live.get(runId as RunId)?.run;

  /** Opens a run to look at, without taking it over. */
  async open(runId: string): Promise<Run> {
    const live = this.#live.get(runId as RunId);
    if (live !== undefined) return live.run;
    return await this.#ofThePast(await readState(this.#parts.journal, runId as RunId));
  }

  /** Starts a new run with the history of another, up to a sequence number (rounded down to the end of a turn). */
  async fork(runId: string, options: ForkOptions = {}): Promise<Run> {
    this.#assertOpen();
    const { journal, ids } = this.#parts;
    const events = await journal.read(runId as RunId);
    const newId = options.runId === undefined ? ids.runId() : await freeRunId(journal, options.runId);
    const copied = forkedEvents(events, { at: options.at, from: runId as RunId, to: newId });
    const state = foldEvents(copied);
    if (state === undefined) throw new CadreError('RUN_UNKNOWN', `run ${runId} has no events to fork from`);
    const workbench = await workbenchOf(this.#parts, state);
    const said = await forkMessage(this.#parts, state, options.message);
    await this.#toolsetsReady(workbench.set, profilesOf(state));
    const { run, begun } = await this.#leases.take({ runId: newId }, async (lease) => {
      this.#assertOpen();
      await journal.append(lease, { runId: newId, expectedSeq: 0, events: copied, contents: [], sync: true });
      return this.#goOn(state, lease, workbench, options, { kind: 'recover', engineVersion, said });
    });
    await begun;
    return run;
  }

  /** Runs of the journal, newest first: all of them, or those of a filter. */
  async runs(filter?: RunsFilter): Promise<readonly RunSummary[]> {
    this.#assertOpen();
    return await this.#parts.journal.runs(filter);
  }

  /**
   * Takes nothing new on and stops: model calls are aborted and made again on resume; running tools get `graceMs` to end (by
   * default twice the engine's own, 10 s) and are told to stop after that. Live runs stay resumable; the journal is closed.
   */
  close(options: { readonly graceMs?: number } = {}): Promise<void> {
    // Whoever closes what is being closed waits for the same end.
    return (this.#closing ??= this.#close(options));
  }

  async #close(options: { readonly graceMs?: number }): Promise<void> {
    const { graceMs = 2 * this.#parts.graceMs } = options;
    this.#halted.close();
    await Promise.all([...this.#live.values()].map(({ actor }) => actor.suspend(graceMs)));
    await this.#leases.settled();
    await Promise.all([this.#liveThings.closeAll(), this.#leaveToolsets()]);
    this.#live.clear();
    for (const lease of this.#ended) await this.#leases.giveBack(lease);
    this.#ended.clear();
    if (this.#parts.ownsJournal) await this.#parts.journal.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Whether the profiles may be used is found out first: nothing of them has been started then. */
  async #toolsetsReady(set: ProfileSet, profiles: Iterable<string>): Promise<void> {
    const { toolsets, clock, trust } = this.#parts;
    await trust?.(set);
    await toolsets.ready(clock, toolsetsNeeded(set, profiles));
    this.#assertOpen();
  }

  /** A run that begins learns which toolsets do not work. */
  #tellFailures(runId: string): void {
    for (const news of this.#parts.toolsets.failures()) this.#live.get(runId as RunId)?.actor.tell({ kind: 'toolset', ...news });
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new CadreError('ENGINE_CLOSED', 'this engine was closed; create a new one');
  }

  #activate(state: RunState, lease: Lease, workbench: Workbench, options: LaunchOptions): RunHandle {
    const { actor, run } = this.#handle(state, lease, workbench, options.context);
    if (options.subscriber !== undefined) run.subscribe(options.subscriber);
    const { runId } = state.meta;
    const forget = (): void => void this.#live.delete(runId);
    const left = leaveWhenOver({ run, actor, lease, leases: this.#leases, ended: this.#ended, forget });
    void left.then(() => this.#halted.add(runId, actor.halted, options));
    this.#live.set(runId, { run, actor, left });
    if (options.signal !== undefined) cancelOnAbort(run, options.signal);
    return { actor, run };
  }

  #handle(state: RunState, lease: Lease, workbench: Workbench, context?: LaunchOptions['context']): RunHandle {
    return runHandle(this.#parts, { state, lease, workbench, content: this.#content, liveThings: this.#liveThings, context });
  }
}
