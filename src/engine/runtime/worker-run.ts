import { CadreError } from '../../core/error.ts';
import type { Lease, SharedJournal } from '../../core/events/journal.ts';
import type { ContentHash, RunId } from '../../core/ids.ts';
import type { LlmConfig } from '../../core/model/llm-config.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { EngineParts } from '../engine-parts.ts';
import type { Resources } from '../effects/resources.ts';
import { assertTools } from './assert-tools.ts';
import { holdToolsets, profileRuntimeOf } from '../launch/run-profile-runtime.ts';
import { readOwnState } from '../recovery/read-state.ts';
import type { ActorPorts } from '../run/actor-ports.ts';
import type { Input } from '../run/input.ts';
import { runPorts } from '../run/run-ports.ts';
import { RunTools } from '../toolsets/run-tools.ts';
import { ToolsetHold } from '../toolsets/toolset-hold.ts';
import { engineVersion } from '../version.ts';
import { profilesOf } from '../toolsets/toolset-hold.ts';
import { RunDecider } from './run-decider.ts';
import { RunPerformer } from './run-performer.ts';
import type { SentInput } from './wire-input.ts';
import { readJson } from '../../core/read-json.ts';

/** Services of the runs that an engine works on for a runtime. */
export interface WorkerRunParts {
  readonly parts: EngineParts;
  readonly shared: SharedJournal;
  /** Name under which the engines of the runtime hold runs. */
  readonly holder: string;
  readonly content: (hash: ContentHash) => string | undefined;
  readonly resources: Resources;
  /** Hands in an input that is no outcome: a note, a late result. With an id it is applied once, however many workers hand it in. */
  readonly submit: (runId: RunId, input: Input, id?: string) => void;
}

type TakenLease = Awaited<ReturnType<SharedJournal['acquire']>>;

/**
 * One run on an engine that works for a runtime: what decides its inputs, and what runs its effects, each made when it is first needed.
 *
 * Owns: the tools and texts that the run uses here. Does not own: which engine gets which work.
 */
export class WorkerRun {
  readonly #own: WorkerRunParts;
  readonly #lease: Lease;
  readonly #tools: RunTools;
  readonly #ports: ActorPorts;
  /** State that was read when the run was opened, until something uses it. */
  #unused: RunContext | undefined;
  #decider: Promise<RunDecider> | undefined;
  #performer: Promise<RunPerformer> | undefined;
  #stopWatching: (() => void) | undefined;
  #isStale = false;
  #isInterrupted: boolean;

  private constructor(own: WorkerRunParts, lease: TakenLease, state: RunContext, tools: RunTools) {
    const { parts, content, resources } = own;
    this.#own = own;
    this.#lease = lease;
    // A fork begins with events of another run.
    this.#isInterrupted = lease.isInterrupted || state.meta.parentRun?.at === state.seq;
    this.#tools = tools;
    this.#unused = state;
    const adopt = (input: Input): void => {
      // What was prepared for the profiles and tools before is no longer used.
      if (input.kind === 'profiles' || input.kind === 'recover') this.#isStale = true;
    };
    this.#ports = runPorts(parts, { meta: state.meta, tools, content, resources, context: undefined, adopt });
    const look = (): void => void this.#performer?.then((performer) => performer.look()).catch(() => undefined);
    this.#stopWatching = parts.journal.watch?.(lease.runId, look);
  }

  /** Reads a run from its journal, with the profiles and tools that it recorded. */
  static async open(own: WorkerRunParts, runId: RunId): Promise<WorkerRun> {
    const { parts, shared, holder } = own;
    const lease = await shared.acquire(runId, holder);
    try {
      const state = await readOwnState(parts.journal, runId);
      assertTools(parts, state);
      const runtime = await profileRuntimeOf(parts, state);
      // An ended run only records late results.
      const hold =
        state.outcome === undefined
          ? await holdToolsets(parts, runtime, profilesOf(state), { recorded: state.meta })
          : ToolsetHold.ofNone(runtime);
      return new WorkerRun(own, lease, state, new RunTools(hold));
    } catch (thrown) {
      await parts.journal.release(lease);
      throw lacking(runId, thrown);
    }
  }

  /** True when the run has to be opened again: its profiles or tools changed, or a commit failed. */
  get isStale(): boolean {
    return this.#isStale;
  }

  markStale(): void {
    this.#isStale = true;
  }

  /** Returns what decides inputs, with the newest state; the run may be stale after that. */
  async decider(): Promise<RunDecider> {
    const decider = await (this.#decider ??= this.#make(
      (state) => new RunDecider(state, this.#lease, this.#ports),
      () => (this.#decider = undefined),
    ));
    if (await decider.catchUp()) this.#isStale = true;
    return decider;
  }

  /** Returns what runs effects, with the newest state. */
  async performer(): Promise<RunPerformer> {
    const { submit, shared, parts } = this.#own;
    const note = (input: Input): void => submit(this.#lease.runId, input);
    const links = { note, shared, canCall: (config: LlmConfig) => parts.gateway.resolves(config).ok };
    const performer = await (this.#performer ??= this.#make(
      (state) => new RunPerformer(state, this.#ports, links),
      () => (this.#performer = undefined),
    ));
    if (await performer.catchUp()) this.#isStale = true;
    return performer;
  }

  /**
   * Returns the resumption that has to be decided before anything else, once: when the newest events were written by others, what was
   * running then is gone.
   */
  takeResumption(): SentInput | undefined {
    if (!this.#isInterrupted) return undefined;
    this.#isInterrupted = false;
    return { kind: 'recover', engineVersion };
  }

  /** Returns an input with what only the engine that decides it can add. */
  async complete(sent: SentInput, state: RunContext): Promise<Input> {
    if (sent.kind === 'recover') return { ...sent, tools: this.#tools.taken };
    if (sent.kind !== 'profiles') return sent;
    const { parts } = this.#own;
    const files = readJson(sent.files) as Parameters<EngineParts['compile']>[0];
    const runtime = await parts.compile(files, await profileRuntimeOf(parts, state));
    const hold = await holdToolsets(parts, runtime, profilesOf(state), { recorded: state.meta });
    return { ...sent, hold, tools: hold.take() };
  }

  /** Leaves effects in progress to others, when they have not ended by themselves after `graceMs`. */
  async leave(graceMs: number): Promise<void> {
    // Without one, nothing runs.
    const performer = await this.#performer?.catch(() => undefined);
    await performer?.leave(graceMs);
  }

  /** Lets go of the run; of its texts, too, unless they are still used. */
  async release(keepsTexts: boolean): Promise<void> {
    this.#stopWatching?.();
    this.#stopWatching = undefined;
    await this.leave(0);
    await this.#tools.release();
    if (!keepsTexts) await this.#own.parts.journal.release(this.#lease);
  }

  /** Makes a part from the newest state. When the state cannot be read, `forget` lets the next use try again. */
  async #make<Part>(make: (state: RunContext) => Part, forget: () => void): Promise<Part> {
    try {
      return make(await this.#newState());
    } catch (thrown) {
      forget();
      throw thrown;
    }
  }

  async #newState(): Promise<RunContext> {
    const unused = this.#unused;
    this.#unused = undefined;
    return unused ?? (await readOwnState(this.#own.parts.journal, this.#lease.runId));
  }
}

/** Returns the error for a run that this engine cannot work on: one that another may have what it lacks, or the failure itself. */
function lacking(runId: RunId, thrown: unknown): unknown {
  if (!(thrown instanceof CadreError) || !(thrown.code === 'PROFILE_INVALID' || thrown.code === 'TOOLSETS_CHANGED')) return thrown;
  return new CadreError('WORKER_LACKS', `this worker cannot work on run ${runId}: ${thrown.message}`, { cause: thrown });
}
