import { hostname } from 'node:os';
import { nanoid } from 'nanoid';
import type { Clock } from '../core/clock.ts';
import type { CodedObserver } from '../core/env.ts';
import type { Ids } from '../core/ids.ts';
import type { Ingestor } from '../core/inbox/ingestor.ts';
import type { Journal } from '../core/events/journal.ts';
import type { Recording } from '../core/recording/recording.ts';
import type { RunContext } from '../core/state/state.ts';
import type { ProfileFile, ProfileSet } from '../core/profile/profile.ts';
import { createIngestorRegistry } from '../ingestors/registry.ts';
import { createModelGateway } from '../models/gateway.ts';
import { createReplayGateway } from '../models/replay/replay-gateway.ts';
import { Replay } from '../models/replay/replay.ts';
import type { AiSdkModel, LanguageModel } from '../models/adapter/ai-sdk-model.ts';
import type { GivenTool } from '../tools/given-tool.ts';
import type { NodeFunction } from '../nodes/turn/function-node.ts';
import { checkEngineOptions } from './check-engine-options.ts';
import { collectSecrets } from './launch/config-secrets.ts';
import { createContentHash } from './recovery/content-hash.ts';
import { Engine } from './engine.ts';
import type { DecisionWatch } from './run/decide-batch.ts';
import type { ProfileRuntime } from './engine-parts.ts';
import type { LimitOptions } from './limit-options.ts';
import { defaultStorePath, type LeaseOptions, openStore } from './recovery/open-store.ts';
import type { IntegrityOptions } from '../journal/commit-chain.ts';
import { readRecording } from '../models/replay/read-recording.ts';
import { randomIds } from './random-ids.ts';
import { systemClock } from './system-clock.ts';
import { Turnstile } from './run/turnstile.ts';
import { rememberJournal } from '../toolsets/files/guard/engine-places.ts';
import { codeTools } from './toolsets/code-tools.ts';
import type { ToolsetOption } from './toolsets/toolset-options.ts';
import { givenModels } from '../models/providers/given-models.ts';
import { ToolsetPool } from './toolsets/toolset-pool.ts';
import { WireNames } from './effects/wire-names.ts';
import { type RecordedSet, ProfileRuntimes } from './launch/profile-runtimes.ts';
import { createWorkspaces, type WorkspaceOption } from './launch/workspaces.ts';

/** What an engine is created from. Everything but `profiles` has a default. */
export interface EngineOptions {
  /** A folder or file, several of them, files in memory, or what `loadProfiles` returned. */
  readonly profiles: string | readonly string[] | { readonly files: readonly ProfileFile[] } | ProfileSet;
  /** AI SDK model objects by name; a name stands for an LLM config, a model, or `default` for all others. */
  readonly models?: Readonly<Record<string, LanguageModel | AiSdkModel>>;
  /** Tools by name, or a list of them: `defineTool`, AI SDK `tool()`, or plain definitions. */
  readonly tools?: Readonly<Record<string, GivenTool>> | readonly GivenTool[];
  /** Toolsets by the name profiles allow them by: settings of a kind that comes with Cadre, or who makes one. They go before files. */
  readonly toolsets?: Readonly<Record<string, ToolsetOption>>;
  readonly ingestors?: readonly Ingestor[];
  readonly observers?: readonly CodedObserver[];
  /** Deterministic functions that stand in a model's place, by the name profiles give in `function_node`. */
  readonly functions?: Readonly<Record<string, NodeFunction>>;
  /** A path, `'memory'`, or a journal; by default `.cadre/journal.db` under the working folder. */
  readonly store?: string | Journal;
  readonly durability?: 'normal' | 'full';
  /**
   * Signs of life for engines that cannot look at this one's process, in another container or on another host: one every `heartbeatMs`
   * (5000) while a run is held; after a silence of `expiryMs` (30000) its runs are theirs to resume.
   */
  readonly leases?: LeaseOptions;
  /** Seals every commit of the journal's file with a key, and refuses what was changed or added without it (STORE_CORRUPT). */
  readonly integrity?: IntegrityOptions;
  readonly limits?: LimitOptions;
  /** Where tools work: a folder, or one per run id; by default a folder per run beside the journal. */
  readonly workspace?: WorkspaceOption;
  /** Options of the built-in team tools; `false` leaves them out. */
  readonly team?: false | { readonly maxParallel?: number };
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** Where LLM configs and API keys are read from; the process's environment unless given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Spreads the waits between model attempts; 0 to 1. */
  readonly random?: () => number;
  /**
   * A recording, or the path of its file: models and tools answer as they did then, and none of them is called. A run that asks
   * something else ends with REPLAY_MISMATCH.
   */
  readonly replay?: string | Recording;
  /**
   * Called with each set of profiles before a run goes on with it: those the engine was given, and those a run recorded. Fails when they
   * are not trusted. For a run on record, with where it works as its journal says: a journal can come from others, too.
   * What code hands in is trusted unless this says otherwise.
   */
  readonly trust?: (
    profiles: ProfileSet,
    run?: Pick<RunContext['meta'], 'runId' | 'workspace' | 'request'>,
  ) => void | Promise<void>;
  /** How long cancelled tools and model calls get to stop, in milliseconds; 5000 by default. */
  readonly graceMs?: number;
  /** Has a model word the title of each run that is launched without one, after its first reply. In place of `titles` of a team.yaml. */
  readonly titles?: { readonly llmConfig: string };
  /** Values that must never be recorded, besides the API keys and environment values of LLM configs. */
  readonly secrets?: readonly string[];
}

/** What an engine runs with besides its profiles and tools. */
export type OpenOptions = Pick<
  EngineOptions,
  | 'models'
  | 'functions'
  | 'store'
  | 'durability'
  | 'leases'
  | 'integrity'
  | 'limits'
  | 'workspace'
  | 'clock'
  | 'ids'
  | 'env'
  | 'random'
  | 'graceMs'
  | 'trust'
> & {
  /** Sees every decision; set by tests alone. */
  readonly watch?: DecisionWatch;
};

/** Profiles and tools, checked against each other and compiled, from which engines are opened. */
export interface PreparedEngine {
  /** Opens an engine over a store. Models and functions must bear the names they were prepared with. */
  open(options: OpenOptions): Promise<Engine>;
  /** Makes ready what a run recorded, as taking the run up does. */
  rebuild(recorded: RecordedSet): Promise<ProfileRuntime>;
}

/**
 * Creates an engine: loads and checks all profiles against all tools, then opens the store. Fails with PROFILE_INVALID,
 * naming every problem of every file, before anything is opened.
 */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  checkEngineOptions(options);
  const prepared = await prepareEngine(options);
  return await prepared.open(options);
}

/** The part of `createEngine` that takes time and touches neither store nor clock: done once, it serves any number of engines. */
export async function prepareEngine(
  options: Pick<
    EngineOptions,
    'profiles' | 'tools' | 'toolsets' | 'ingestors' | 'observers' | 'functions' | 'team' | 'env' | 'replay' | 'secrets' | 'titles'
  > & {
    /** Of models, preparing needs no more than their names, and what they say they are. */
    readonly models?: Readonly<Record<string, unknown>>;
  },
): Promise<PreparedEngine> {
  const replay = options.replay === undefined ? undefined : new Replay(await readRecording(options.replay));
  const ingestors = createIngestorRegistry(options.ingestors);
  const observers = new Map((options.observers ?? []).map((observer) => [observer.name, observer]));
  const models = givenModels(options.models ?? {});
  const env = options.env === undefined ? {} : { env: options.env };
  const hash = createContentHash();
  const secrets = collectSecrets(options.secrets);
  const pool = new ToolsetPool({ hash, redact: secrets.json });
  const wireNames = new WireNames();
  const benches = new ProfileRuntimes({
    pool,
    hash,
    secrets,
    ingestors,
    observers,
    known: {
      ingestors: new Set(ingestors.names()),
      observers: new Set(observers.keys()),
      functions: new Set(Object.keys(options.functions ?? {})),
      models: new Set(models.keys()),
    },
    models,
    recordedConfigs: replay?.configs,
    titles: options.titles,
    env: options.env,
    onTool: (name) => wireNames.add(name),
  });
  const code = codeTools(options, { pool, hash, secrets });
  const runtime = await benches.build(options.profiles, code);
  return {
    open: async (live) => {
      if (live.store === undefined || (typeof live.store === 'string' && live.store !== 'memory'))
        rememberJournal(live.store ?? defaultStorePath);
      const clock = live.clock ?? systemClock;
      const gateway = createModelGateway({
        models: live.models ?? {},
        clock,
        decodeToolName: (wire) => wireNames.decode(wire),
        ...(live.random === undefined ? {} : { random: live.random }),
        ...env,
        onSecret: (value) => void secrets.add(value),
        llmConfigs: (name, from) => benches.llmConfig(name, from),
      });
      return new Engine({
        runtime,
        rebuild: (recorded) => benches.rebuild(recorded, code),
        compile: (files, { code: own }) => benches.build({ files }, own),
        gateway: replay === undefined ? gateway : createReplayGateway(replay, clock),
        replay,
        journal: await openStore(live.store, live),
        ownsJournal: typeof live.store !== 'object',
        clock,
        ids: live.ids ?? randomIds,
        // A function in a model's place is on record like a model.
        functions: new Map(replay === undefined ? Object.entries(live.functions ?? {}) : []),
        limits: live.limits ?? {},
        owner: `${process.pid}@${hostname()}#${nanoid(8)}`,
        turnstile: new Turnstile(),
        graceMs: live.graceMs ?? 5_000,
        left: Promise.withResolvers(),
        workspaceOf: createWorkspaces(live.workspace, live.store),
        toolsets: pool,
        trust: live.trust,
        watch: live.watch,
      });
    },
    rebuild: (recorded) => benches.rebuild(recorded, code),
  };
}
