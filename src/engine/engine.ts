import { CadreError } from '../core/error.ts';
import { applyEvent, startRun } from '../core/fold/apply-event.ts';
import type { RunId } from '../core/ids.ts';
import type { JournalReader, Lease, RunsFilter, RunSummary } from '../core/events/journal.ts';
import type { RuntimeWorker } from '../core/runtime.ts';
import { workOf } from './runtime/remote-runs.ts';
import type { Diagnostic, ProfileSet } from '../core/profile/profile.ts';
import type { RunContext } from '../core/state/run-context.ts';
import { type OfferedTools, ToolsetHold, profilesOf } from './toolsets/toolset-hold.ts';
import { readOwnState, readState, withAllPast } from './recovery/read-state.ts';
import { engineVersion } from './version.ts';
import type { Input } from './run/input.ts';
import type { EngineParts } from './engine-parts.ts';
import type { ForkOptions, LaunchOptions, LaunchRequest, ResumeOptions } from './launch-options.ts';
import { type RecoverOptions, recoverRuns, type RecoveredRun } from './recovery/recover-runs.ts';
import { currentCodeTools, planResume, planSteering, type ResumePlan } from './recovery/resume-plan.ts';
import { holdToolsets, profileRuntimeOf } from './launch/run-profile-runtime.ts';
import { checkArgument, checkOptions } from './check-arguments.ts';
import type { EngineOptions } from './engine-options.ts';
import { checkLaunch, checkRequest } from './launch/check-launch.ts';
import { type ByOption, readBy } from './input/read-by.ts';
import { planFork } from './launch/plan-fork.ts';
import { LaunchProfiles } from './launch/profile-runtimes.ts';
import { freeRunId } from './launch/free-run-id.ts';
import { HaltedRuns } from './recovery/halted-runs.ts';
import { Leases } from './recovery/leases.ts';
import { type HeldRuntime, LiveRuns } from './run/live-runs.ts';
import * as known from './public-options.ts';
import { checkInputSize } from './input/input-size.ts';
import type { Rerendering } from '../inspect/rerender/rerendered-turn.ts';
import { rerender } from './rerender/rerender.ts';
import type { RerenderOptions } from './rerender/rerender-options.ts';
import { firstCommit } from './launch/first-commit.ts';
import type { Run } from './run.ts';
import { RunCatalog } from './run-catalog.ts';
import { assertOriginal, discardFork } from './launch/whole-fork.ts';
import { toUserPayload, withAttachments } from './input/user-payload.ts';

/** Launches, resumes and lists runs over one journal. */
export class Engine {
  readonly #parts: EngineParts;
  readonly #leases: Leases;
  readonly #live: LiveRuns;
  readonly #resuming = new Map<string, Promise<Run>>();
  readonly #halted: HaltedRuns;
  readonly #launchProfiles: LaunchProfiles;
  /** Journal for reading, including runs that other processes advance. */
  readonly records: JournalReader;
  /** Titles, projects and deletion of runs. */
  readonly catalog: RunCatalog;
  #closing: Promise<void> | undefined;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.records = parts.journal;
    this.location = parts.journal.location;
    this.catalog = new RunCatalog(parts.journal, parts.clock);
    this.#leases = new Leases(parts);
    this.#halted = new HaltedRuns(parts.clock, (runId, options) => this.resume(runId, options));
    this.#live = new LiveRuns(parts, this.#leases, this.#halted);
    this.#launchProfiles = new LaunchProfiles(parts);
  }

  /** Profiles that this engine launches runs with. */
  get profiles(): ProfileSet {
    return this.#parts.runtime.set;
  }

  /** Warnings of loading the profiles that new runs use. */
  get warnings(): readonly Diagnostic[] {
    return this.profiles.warnings;
  }

  /** Names of the available tools, except those of toolsets that connect to a server: they are known once a run uses them. */
  get toolNames(): readonly string[] {
    return this.#parts.runtime.decision.env.catalog.names();
  }

  /** Location of the journal, for people. */
  readonly location: string;

  /** Loads the profiles of runs launched from now on; those in progress keep theirs. On PROFILE_INVALID, nothing has changed. */
  async reload(profiles: EngineOptions['profiles']): Promise<ProfileSet> {
    this.#assertOpen();
    return await this.#launchProfiles.reload(profiles, () => this.#assertOpen());
  }

  /** Starts a run. Fails when the profile is unknown or disabled, its model is not configured, or the engine is closed. */
  async launch(request: LaunchRequest, given: LaunchOptions = {}): Promise<Run> {
    checkArgument('engine.launch: request', request, 'object');
    checkOptions('engine.launch: request', request, known.launchRequest);
    checkOptions('engine.launch', given, known.launchOptions);
    // Many launches at once are not even checked all in one turn of the event loop.
    const turn = this.#parts.loopThrottle.pass(1);
    if (turn !== undefined) await turn;
    this.#assertOpen();
    const { runtime, ids, workspaceOf } = this.#parts;
    const { profile, options } = checkLaunch(this.#parts, request, given);
    checkInputSize('launch: input', request.input);
    const launched = { request: checkRequest(options.request ?? {}) };
    using hold = await holdToolsets(this.#parts, runtime, [profile.name], { launched });
    const runId = request.runId === undefined ? ids.runId() : await freeRunId(this.#parts.journal, request.runId);
    const payload = await withAttachments(toUserPayload(request.input), workspaceOf({ runId, workspace: options.workspace }));
    const { run, begun } = await this.#leases.take({ runId }, (lease) => {
      this.#assertOpen();
      const launch = { runId, payload, profile: profile.name, request, options };
      const { start, prefix, inputOf } = firstCommit(this.#parts, launch);
      const { actor, run, taken } = this.#live.activate(startRun(start), lease, { runtime, hold }, options);
      return { run, begun: actor.begin(prefix, inputOf(taken)) };
    });
    await begun;
    this.#live.listen(runId);
    return run;
  }

  /**
   * Resumes a run from the end of its journal, with its recorded profiles or today's; returns the live run if there is one. Fails before
   * anything is written when it cannot go on (profiles, models, a lost text). With a runtime, workers need those; this engine does not.
   */
  async resume(runId: string, options: ResumeOptions = {}): Promise<Run> {
    checkArgument('engine.resume: runId', runId, 'name');
    checkOptions('engine.resume', options, known.resumeOptions);
    this.#assertOpen();
    const live = this.#live.get(runId);
    if (live !== undefined && live.actor.halted === undefined) return live.run;
    // A run that halted here releases its lease first.
    await live?.left;
    const resuming = this.#resuming.get(runId) ?? this.#takeUp(runId, options).finally(() => this.#resuming.delete(runId));
    this.#resuming.set(runId, resuming);
    return await resuming;
  }

  /**
   * Resumes every unfinished run that no live process has, oldest first. A run that cannot be resumed (held, damaged, unusable profiles) is
   * reported with the reason and does not stop the others. `include` selects among them.
   */
  async recover(asked: RecoverOptions = {}): Promise<readonly RecoveredRun[]> {
    checkOptions('engine.recover', asked, known.recoverOptions);
    return await recoverRuns(await this.runs(), asked, {
      live: this.live,
      resume: (runId, options) => this.resume(runId, options),
      onFailure: (...failure) => this.#halted.add(...failure),
    });
  }

  /**
   * Ends a run permanently; resolves when all of its effects have stopped. If no process advances the run, cancels it without starting its
   * models or tools.
   */
  async cancel(runId: string, reason = 'cancelled', options: ByOption = {}): Promise<Run> {
    checkArgument('engine.cancel: runId', runId, 'name');
    checkArgument('engine.cancel: reason', reason, 'text');
    checkOptions('engine.cancel', options, known.cancelOptions);
    this.#assertOpen();
    const live = this.#live.get(runId);
    if (live?.actor.halted !== undefined) await live.left;
    const run = this.live(runId) ?? (await this.#takeToCancel(runId, { reason, ...readBy(options) }));
    await run.cancel(reason, options);
    return run;
  }

  async #takeToCancel(runId: string, what: { readonly reason: string } & ByOption): Promise<Run> {
    // A resumption in progress yields a live run, which is cancelled like any other.
    const resuming = await this.#resuming.get(runId)?.catch(() => undefined);
    if (resuming !== undefined) return resuming;
    const { journal } = this.#parts;
    const past = await readOwnState(journal, runId as RunId);
    if (past.outcome !== undefined) return await this.#openReadOnly(past);
    const { run, begun } = await this.#leases.take({ runId: past.meta.runId, isPatient: true }, async (lease) => {
      const state = await readState(journal, past.meta.runId);
      // Profiles that no longer compile must not prevent cancelling a run.
      const runtime = await profileRuntimeOf(this.#parts, state).catch(() => this.#parts.runtime);
      const by = { runtime, hold: ToolsetHold.ofNone(runtime) };
      if (state.outcome === undefined) return this.#goOn(state, lease, by, {}, () => ({ kind: 'cancel', ...what }));
      await journal.release(lease);
      return { run: await this.#openReadOnly(state), begun: undefined };
    });
    await begun;
    return run;
  }

  async #takeUp(runId: string, options: ResumeOptions): Promise<Run> {
    const { journal } = this.#parts;
    const state = await readOwnState(journal, runId as RunId);
    if (state.outcome !== undefined) return await this.#openReadOnly(state);
    const plan = (): Promise<ResumePlan> =>
      this.#parts.remote !== undefined && options.profiles !== 'current'
        ? planSteering(this.#parts, state)
        : planResume(this.#parts, state, options.profiles);
    // Every obstacle is found before the run is taken.
    using planned = await plan();
    const { run, begun } = await this.#leases.take({ runId: state.meta.runId, isPatient: options.waitForHolder }, async (lease) => {
      // Another process may have written between the read and the lease.
      const missed = await journal.read(state.meta.runId, { after: state.seq });
      for (const event of missed) applyEvent(state, event);
      if (state.outcome !== undefined) {
        await journal.release(lease);
        return { run: await this.#openReadOnly(state), begun: undefined };
      }
      using again = missed.length > 0 ? await plan() : undefined;
      const { runtime, hold, ...found } = { ...(again ?? planned), ...readBy(options) };
      return this.#goOn(state, lease, { runtime, hold }, options, (tools) => ({ kind: 'recover', engineVersion, ...found, tools }));
    });
    await begun;
    this.#live.listen(run.id);
    return run;
  }

  /** Starts a run from the journal; not awaited here, since a live run manages its own lease. */
  #goOn(
    state: RunContext,
    lease: Lease,
    by: HeldRuntime,
    options: LaunchOptions,
    inputOf: (taken: readonly OfferedTools[]) => Input,
  ): { readonly run: Run; readonly begun: Promise<void> } {
    this.#assertOpen();
    const { actor, run, taken } = this.#live.activate(state, lease, by, options);
    return { run, begun: actor.submit(inputOf(taken)) };
  }

  /** Opens a run that this engine does not advance. */
  async #openReadOnly(past: RunContext): Promise<Run> {
    const state = await withAllPast(this.#parts.journal, past);
    const runtime = await profileRuntimeOf(this.#parts, state, 'look');
    return this.#live.handle(state, { runtime, hold: ToolsetHold.ofNone(runtime) });
  }

  /** Returns the run of this id, if it is live here. */
  readonly live = (runId: string): Run | undefined => this.#live.get(runId)?.run;

  /** Opens a run for viewing, without taking it over. */
  async open(runId: string): Promise<Run> {
    checkArgument('engine.open: runId', runId, 'name');
    return this.live(runId) ?? (await this.#openReadOnly(await readState(this.#parts.journal, runId as RunId)));
  }

  /** Starts a new run with the history of another, up to a sequence number (rounded down to the end of a turn). */
  async fork(runId: string, options: ForkOptions = {}): Promise<Run> {
    checkArgument('engine.fork: runId', runId, 'name');
    checkOptions('engine.fork', options, known.forkOptions);
    this.#assertOpen();
    const { runId: newId, events, state, runtime, answers, begins } = await planFork(this.#parts, runId as RunId, options);
    using hold = await holdToolsets(this.#parts, runtime, profilesOf(state), { recorded: state.meta });
    const { journal, clock } = this.#parts;
    const started = this.#leases.take({ runId: newId }, async (lease) => {
      this.#assertOpen();
      await journal.append(lease, { runId: newId, expectedSeq: 0, events, contents: [], sync: true });
      await assertOriginal(journal, { runId: runId as RunId, forkId: newId });
      const given = currentCodeTools(runtime, state);
      const by = { runtime, hold, answers };
      return this.#goOn(state, lease, by, options, (tools) => ({ kind: 'recover', engineVersion, ...begins, ...given, tools }));
    });
    const { run, begun } = await started.catch((thrown: unknown) => discardFork(journal, thrown, clock.now()));
    await begun;
    this.#live.listen(newId);
    return run;
  }

  /** Decides recorded turns again with other profiles, and compares. Calls no model, runs no tool, writes nothing. */
  async rerender(runs: string | readonly string[], options: RerenderOptions = {}): Promise<Rerendering> {
    this.#assertOpen();
    return await rerender(this.#parts, runs, options);
  }

  /** Lists runs of the journal, newest first: all of them, or those that match a filter. */
  async runs(filter?: RunsFilter): Promise<readonly RunSummary[]> {
    checkOptions('engine.runs', filter, known.runsFilter);
    this.#assertOpen();
    return await this.#parts.journal.runs(filter);
  }

  /** Applies inputs and runs effects for the engine's runtime in this process, until it is closed or the engine is. */
  readonly work = async (): Promise<RuntimeWorker> => await workOf(this.#parts.remote);

  /**
   * Stops: model calls are aborted and made again on resume; running tools get `graceMs` to end (twice the engine's own by default, 10 s)
   * and are aborted after that. Live runs stay resumable; a journal that the engine opened is closed. After that the engine writes no more.
   */
  async close(options: { readonly graceMs?: number } = {}): Promise<void> {
    checkOptions('engine.close', options, known.closeOptions);
    // Later calls wait for the same end.
    await (this.#closing ??= this.#close(options.graceMs ?? 2 * this.#parts.graceMs));
  }

  async #close(graceMs: number): Promise<void> {
    this.#parts.left.resolve();
    this.#halted.close();
    await Promise.all([this.#live.close(graceMs), this.#parts.remote?.close(graceMs)]);
    await this.#parts.unfinished.settled();
    await this.#launchProfiles.release().then(() => this.#parts.toolsets.settled());
    if (this.#parts.ownsJournal) await this.#parts.journal.close();
  }

  readonly [Symbol.asyncDispose] = (): Promise<void> => this.close();

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new CadreError('ENGINE_CLOSED', 'this engine was closed; create a new one');
  }
}
