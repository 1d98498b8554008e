import { hostname } from 'node:os';
import { nanoid } from 'nanoid';
import type { Clock } from '../core/clock.ts';
import { CadreError } from '../core/error.ts';
import type { CodedObserver } from '../core/env.ts';
import type { Ids } from '../core/ids.ts';
import type { Ingestor } from '../core/ingestor.ts';
import type { Journal } from '../core/journal.ts';
import type { Recording } from '../core/recording.ts';
import type { KnownNames, KnownToolset } from '../core/known-names.ts';
import type { ProfileFile, ProfileSet } from '../core/profile.ts';
import { createIngestorRegistry } from '../ingestors/registry.ts';
import { createModelGateway } from '../models/gateway.ts';
import { createReplayGateway } from '../models/replay-gateway.ts';
import { Replay } from '../models/replay.ts';
import { createAgentNode } from '../nodes/agent-node.ts';
import type { NodeFunction } from '../nodes/function-node.ts';
import { createToolNode } from '../nodes/tool-node.ts';
import { loadProfiles } from '../profiles/load-profiles.ts';
import { createToolRegistry, type ToolRegistry } from '../tools/registry.ts';
import { createTeamTools } from '../tools/team/create-team-tools.ts';
import { buildEnv } from './build-env.ts';
import { addConfigSecrets, collectSecrets } from './config-secrets.ts';
import { createContentHash } from './content-hash.ts';
import { Engine } from './engine.ts';
import type { DecisionWatch } from './decide-batch.ts';
import type { Workbench } from './engine-parts.ts';
import type { LimitOptions } from './limit-options.ts';
import { createLlmConfigs, type LlmConfigs } from './llm-configs.ts';
import { defaultStorePath, type LeaseOptions, openStore } from './open-store.ts';
import { knownToolsetKinds, openToolsets, type ToolsetOptions } from './open-toolsets.ts';
import type { IntegrityOptions } from '../stores/commit-chain.ts';
import { readRecording } from '../models/read-recording.ts';
import { randomIds } from './random-ids.ts';
import { systemClock } from './system-clock.ts';
import { Toolsets } from './toolsets.ts';
import { Turnstile } from './turnstile.ts';
import { rememberJournal, rememberProfiles } from '../tools/files/engine-places.ts';
import { createWorkspaces, type WorkspaceOption } from './workspaces.ts';

/** What an engine is created from. Everything but `profiles` has a default. */
export interface EngineOptions {
  /** A folder or file, several of them, files in memory, or what `loadProfiles` returned. */
  readonly profiles: string | readonly string[] | { readonly files: readonly ProfileFile[] } | ProfileSet;
  /** AI SDK model objects by name; a name stands for an LLM config, a model, or `default` for all others. */
  readonly models?: Readonly<Record<string, unknown>>;
  /** Tools by name, or a list of them: `defineTool`, AI SDK `tool()`, or plain definitions. */
  readonly tools?: Readonly<Record<string, unknown>> | readonly unknown[];
  /** Toolsets by the name profiles allow them by: settings of a kind that comes with Cadre, or who makes one. They go before files. */
  readonly toolsets?: ToolsetOptions;
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
   * are not trusted. Profiles that code hands in are trusted unless this says otherwise.
   */
  readonly trust?: (profiles: ProfileSet) => void | Promise<void>;
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
  /** Makes the profile files of a run ready, as taking the run up does. */
  rebuild(files: readonly ProfileFile[]): Promise<Workbench>;
}

/**
 * Creates an engine: loads and checks all profiles against all tools, then opens the store. Fails with PROFILE_INVALID,
 * naming every problem of every file, before anything is opened.
 */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const prepared = await prepareEngine(options);
  return await prepared.open(options);
}

/** The part of `createEngine` that takes time and touches neither store nor clock: done once, it serves any number of engines. */
export async function prepareEngine(
  options: Pick<
    EngineOptions,
    | 'profiles'
    | 'models'
    | 'tools'
    | 'toolsets'
    | 'ingestors'
    | 'observers'
    | 'functions'
    | 'team'
    | 'env'
    | 'replay'
    | 'secrets'
    | 'titles'
  >,
): Promise<PreparedEngine> {
  const registry = createToolRegistry(allTools(options));
  const replay = options.replay === undefined ? undefined : new Replay(await readRecording(options.replay));
  const ingestors = createIngestorRegistry(options.ingestors);
  const observers = new Map((options.observers ?? []).map((observer) => [observer.name, observer]));
  const functions = new Map(Object.entries(options.functions ?? {}));
  const models = Object.keys(options.models ?? {});
  const known = knownNames({ registry, ingestors: ingestors.names(), observers, functions, models, toolsets: options.toolsets });
  const env = options.env === undefined ? {} : { env: options.env };
  const hash = createContentHash();
  const toolsets = new Toolsets(registry, observers);
  const declared = options.toolsets ?? {};
  const secrets = collectSecrets(options.secrets);
  // By content: models remember what they made of a config by its identity, also when files are built again.
  const llmConfigs = new Map<string, LlmConfigs>();
  const build = async (source: EngineOptions['profiles'], names: Partial<KnownNames>): Promise<Workbench> => {
    for (const folder of [filesOf(source)].flat()) if (typeof folder === 'string') rememberProfiles(folder);
    const set = await loadProfiles(filesOf(source), {
      known: async (files) => ({ ...names, toolsetKinds: await knownToolsetKinds(files, declared) }),
      ...env,
    });
    addConfigSecrets(secrets, set, options.env ?? process.env);
    await openToolsets(toolsets, set, declared);
    const files = JSON.stringify(set.files);
    const content = JSON.stringify([...set.llmConfigs]);
    const configs = llmConfigs.get(content) ?? createLlmConfigs(set.llmConfigs, models, replay?.configs);
    llmConfigs.set(content, configs);

    // A replay has only the calls that were recorded.
    const titles = replay === undefined ? titlesOf(options.titles ?? set.team?.titles, configs) : undefined;
    const bench = buildEnv({ set, registry, ingestors, observers, llmConfigs: configs, hash, secrets, titles });
    return {
      kernel: { env: bench, agentNode: createAgentNode(bench), toolNode: createToolNode(bench) },
      set,
      viewed: set.profiles,
      snapshot: { hash: hash(files), text: files },
      llmConfigOf: (profile, override) => configs.of(profile, override),
    };
  };
  const workbench = await build(options.profiles, known);
  // A run goes on without the tools it had and this program has no more: their calls are answered, and nobody is offered them.
  const { tools: _tools, toolsets: _toolsets, toolsetTools: _toolsetTools, ...lasting } = known;
  const rebuilt = new Map<string, Promise<Workbench>>();
  const rebuild = (files: readonly ProfileFile[]): Promise<Workbench> => {
    // Runs that are taken up together often go by the same files.
    const key = JSON.stringify(files);
    const made = rebuilt.get(key) ?? build({ files }, lasting);
    rebuilt.clear();
    rebuilt.set(key, made);
    return made;
  };
  return {
    open: async (live) => {
      if (live.store === undefined || (typeof live.store === 'string' && live.store !== 'memory'))
        rememberJournal(live.store ?? defaultStorePath);
      const clock = live.clock ?? systemClock;
      const gateway = createModelGateway({
        models: live.models ?? {},
        clock,
        decodeToolName: (wire) => registry.fromWire(wire),
        ...(live.random === undefined ? {} : { random: live.random }),
        ...env,
        onSecret: (value) => void secrets.add(value),
        llmConfigs: (name) => [...llmConfigs.values()].map((configs) => configs.find(name)).find((config) => config !== undefined),
      });
      return new Engine({
        workbench,
        rebuild,
        compile: (files) => build({ files }, known),
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
        workspaceOf: createWorkspaces(live.workspace, live.store),
        toolsets,
        trust: live.trust,
        watch: live.watch,
      });
    },
    rebuild,
  };
}

/** Who words titles, when it is a config there is. */
function titlesOf(titles: EngineOptions['titles'], configs: LlmConfigs): EngineOptions['titles'] {
  if (titles === undefined || configs.find(titles.llmConfig) !== undefined) return titles;
  const known = configs.names().join(', ') || 'none';
  throw new CadreError('OPTION_INVALID', `titles: there is no LLM config '${titles.llmConfig}'; there are: ${known}`);
}

/** The caller's tools, and the team's unless they are left out; a tool of the caller wins over one of the same name. */
function allTools(options: Pick<EngineOptions, 'tools' | 'team'>): readonly unknown[] {
  const listed = createToolRegistry(options.tools ?? []);
  const mine = listed.names().flatMap((name) => listed.get(name) ?? []);
  if (options.team === false) return mine;
  const taken = new Set(mine.map((tool) => tool.name));
  return [...mine, ...createTeamTools(options.team ?? {}).filter((tool) => !taken.has(tool.name))];
}

function filesOf(source: EngineOptions['profiles']): string | readonly string[] | { readonly files: readonly ProfileFile[] } {
  return typeof source === 'object' && 'files' in source ? { files: source.files } : source;
}

/** What each toolset of code brings; that of an option is known once it is made. */
function toolsetTools(registry: ToolRegistry, options: ToolsetOptions): NonNullable<KnownNames['toolsetTools']> {
  const known = new Map<string, KnownToolset>();
  for (const name of registry.toolsets()) known.set(name, { tools: registry.inToolset(name).map((tool) => tool.name) });
  for (const [name, option] of Object.entries(options))
    known.set(name, typeof option === 'object' ? { kind: option.kind ?? name } : {});
  return known;
}

function knownNames(parts: {
  readonly registry: ToolRegistry;
  readonly ingestors: readonly string[];
  readonly observers: ReadonlyMap<string, CodedObserver>;
  readonly functions: ReadonlyMap<string, NodeFunction>;
  readonly models: readonly string[];
  readonly toolsets: ToolsetOptions | undefined;
}): KnownNames {
  const declared = Object.keys(parts.toolsets ?? {});
  return {
    tools: new Set(parts.registry.names()),
    toolsets: new Set([...parts.registry.toolsets(), ...declared]),
    // What a toolset of code brings along is known once it is made.
    toolPrefixes: new Set(declared.map((name) => `${name}_`)),
    toolsetTools: toolsetTools(parts.registry, parts.toolsets ?? {}),
    ingestors: new Set(parts.ingestors),
    observers: new Set(parts.observers.keys()),
    functions: new Set(parts.functions.keys()),
    models: new Set(parts.models),
  };
}
