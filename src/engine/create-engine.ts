import { hostname } from 'node:os';
import { nanoid } from 'nanoid';
import { createIngestorRegistry } from '../ingestors/registry.ts';
import { createModelGateway, createReplayGateway } from '../models/gateway.ts';
import { Replay } from '../models/replay/replay.ts';
import { checkEngineOptions } from './check-engine-options.ts';
import { collectSecrets } from './launch/config-secrets.ts';
import { createContentHash } from './recovery/content-hash.ts';
import { Engine } from './engine.ts';
import type { EngineParts, ProfileRuntime, RecordedSet } from './engine-parts.ts';
import { openRuntime } from './runtime/open-runtime.ts';
import { journalFile, openStore } from './recovery/open-store.ts';
import { readRecording } from '../models/replay/read-recording.ts';
import { randomIds } from './random-ids.ts';
import type { Clock } from '../core/clock.ts';
import { systemClock } from './system-clock.ts';
import { LoopThrottle } from './run/loop-throttle.ts';
import { rememberJournal } from '../files/guard/engine-places.ts';
import { codeTools } from './toolsets/code-tools.ts';
import { givenModels } from '../models/providers/given-models.ts';
import { ToolsetPool } from './toolsets/toolset-pool.ts';
import { withDouble } from './effects/doubles.ts';
import { Unfinished } from './effects/unfinished.ts';
import { WireNames } from '../tools/wire-name.ts';
import { ProfileRuntimes } from './launch/profile-runtimes.ts';
import { createWorkspaces } from './launch/workspaces.ts';
import type { EngineOptions, OpenOptions } from './engine-options.ts';

/** Profiles and tools, checked against each other and compiled, for opening engines. */
export interface PreparedEngine {
  /** Opens an engine over a store. Models and functions must have the names they were prepared with. */
  open(options: OpenOptions): Promise<Engine>;
  /** Prepares the profiles and tools that a run recorded, as a resume does. */
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

/** Does the slow part of `createEngine`, which touches neither store nor clock: done once, it serves any number of engines. */
export async function prepareEngine(
  options: Pick<
    EngineOptions,
    | 'profiles'
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
    | 'strict'
  > & {
    /** Names of the models, and the models they say they are; nothing else is needed. */
    readonly models?: Readonly<Record<string, unknown>>;
  },
): Promise<PreparedEngine> {
  const replay = options.replay === undefined ? undefined : new Replay(await readRecording(options.replay));
  const ingestors = createIngestorRegistry(options.ingestors);
  const observers = new Map((options.observers ?? []).map((observer) => [observer.name, observer]));
  const models = givenModels(options.models ?? {});
  const hash = createContentHash();
  const secrets = collectSecrets(options.secrets);
  const pool = new ToolsetPool({ hash, redact: secrets.json });
  const wireNames = new WireNames();
  const runtimes = new ProfileRuntimes({
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
    strict: options.strict,
    env: options.env,
    onTool: (name) => wireNames.add(name),
  });
  const code = codeTools(options, { pool, hash, secrets });
  const runtime = await runtimes.build(options.profiles, code);
  const parts: PreparedParts = { options, replay, secrets, pool, wireNames, runtimes, code, runtime };
  return { open: (live) => openEngine(parts, live), rebuild: (recorded) => runtimes.rebuild(recorded, code) };
}

/** What `prepareEngine` has made. */
interface PreparedParts {
  readonly options: Pick<EngineOptions, 'env'>;
  readonly replay: Replay | undefined;
  readonly secrets: ReturnType<typeof collectSecrets>;
  readonly pool: ToolsetPool;
  readonly wireNames: WireNames;
  readonly runtimes: ProfileRuntimes;
  readonly code: ReturnType<typeof codeTools>;
  readonly runtime: Awaited<ReturnType<ProfileRuntimes['build']>>;
}

/** Opens the store, and an engine on it. */
async function openEngine(parts: PreparedParts, live: Parameters<PreparedEngine['open']>[0]): Promise<Engine> {
  const { replay, pool, runtimes, code, runtime } = parts;
  const file = journalFile(live.store);
  if (file !== undefined) rememberJournal(file);
  const clock = live.clock ?? systemClock;
  const engineParts: EngineParts = {
    runtime,
    prepare: (profiles) => runtimes.build(profiles, code),
    rebuild: (recorded) => runtimes.rebuild(recorded, code),
    compile: (files, { code: own }) => runtimes.build({ files }, own),
    rehearse: (profiles, given) => runtimes.rehearse(profiles, given, code),
    gateway: replay === undefined ? withDouble(gatewayOf(parts, live, clock), live.doubles) : createReplayGateway(replay, clock),
    replay,
    journal: await openStore(live.store, live),
    ownsJournal: typeof live.store !== 'object',
    clock,
    ids: live.ids ?? randomIds,
    // A function that replaces a model is recorded like a model.
    functions: new Map(replay === undefined ? Object.entries(live.functions ?? {}) : []),
    limits: live.limits ?? {},
    owner: `${process.pid}@${hostname()}#${nanoid(8)}`,
    loopThrottle: new LoopThrottle({ clock }),
    unfinished: new Unfinished(),
    graceMs: live.graceMs ?? 5_000,
    left: Promise.withResolvers(),
    workspaceOf: createWorkspaces(live.workspace, live.store),
    toolsets: pool,
    trust: live.trust,
    aroundCall: live.aroundCall,
    watch: live.watch,
    snapshotEvery: live.snapshotEvery,
    doubles: live.doubles,
  };
  if (live.runtime === undefined) return new Engine(engineParts);
  return new Engine({ ...engineParts, remote: await openRuntime(live.runtime, engineParts) });
}

function gatewayOf(
  { options, secrets, wireNames, runtimes }: PreparedParts,
  live: Parameters<PreparedEngine['open']>[0],
  clock: Clock,
): ReturnType<typeof createModelGateway> {
  return createModelGateway({
    models: live.models ?? {},
    clock,
    decodeToolName: (wire) => wireNames.decode(wire),
    ...(live.random === undefined ? {} : { random: live.random }),
    ...(options.env === undefined ? {} : { env: options.env }),
    onSecret: (value) => void secrets.add(value),
    llmConfigs: (name, from) => runtimes.llmConfig(name, from),
  });
}
