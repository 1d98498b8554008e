import { AsyncLocalStorage } from 'node:async_hooks';
import type { Journal } from '../../core/events/journal.ts';
import type { ContentHash } from '../../core/ids.ts';
import type { ModelCaller, ModelOutcome } from '../../core/model/model.ts';
import type { ProfileFile, ProfileSet } from '../../core/profile/profile.ts';
import { prepareEngine, type PreparedEngine } from '../../engine/create-engine.ts';
import type { Doubles } from '../../engine/effects/doubles.ts';
import type { Engine } from '../../engine/engine.ts';
import type { EngineOptions } from '../../engine/engine-options.ts';
import type { DecisionWatch } from '../../engine/run/decide-batch.ts';
import { createContentHash } from '../../engine/recovery/content-hash.ts';
import { createMemoryJournal } from '../../journal/memory-journal.ts';
import type { AiSdkModel } from '../../models/adapter/ai-sdk-model.ts';
import { scriptedModel } from '../../models/scripted/scripted-replies.ts';
import type { ScriptedReply } from '../../models/scripted/scripted-reply.ts';
import type { DeclaredTool } from '../cases/test-case.ts';
import { countingIds } from '../counting-ids.ts';
import { type ManualClock, manualClock } from '../manual-clock.ts';
import type { Toolset } from '../../core/tool/toolset.ts';
import { loadProfiles } from '../../profiles/load-profiles.ts';

/** Profiles to test, and what they need besides their files. */
export interface TestedProfilesOptions {
  readonly profiles: EngineOptions['profiles'];
  /** Further profiles, for these tests only. */
  readonly more?: readonly ProfileFile[];
  readonly env?: Readonly<Record<string, string>>;
  /** Tools of toolsets that connect, by name. */
  readonly declared?: Readonly<Record<string, DeclaredTool>>;
  /** Tools from code, besides those of toolsets. None is run. */
  readonly tools?: EngineOptions['tools'];
  readonly ingestors?: EngineOptions['ingestors'];
  readonly observers?: EngineOptions['observers'];
  readonly functions?: EngineOptions['functions'];
}

/** Answers the model calls and tool calls of one case. */
export interface CaseDoubles {
  /** Returns the reply to a model call; never resolves for an agent that must not go on. */
  readonly reply: (caller: ModelCaller, signal: AbortSignal) => Promise<ScriptedReply>;
  readonly tool: Doubles['tool'];
}

/** An engine for one case, over a journal in memory and a manual clock. */
export interface CaseEngine extends AsyncDisposable {
  readonly engine: Engine;
  readonly journal: Journal;
  readonly clock: ManualClock;
}

/** Wall time at which every case begins. */
const beginning = Date.UTC(2026, 0, 1, 12);

/** Text of all summaries and titles. */
const summary = 'A summary of what came before.';

/** Prepared profiles: cases open engines on them. */
export class TestedProfiles {
  readonly #prepared: PreparedEngine;
  readonly #functions: EngineOptions['functions'];
  readonly set: ProfileSet;
  readonly toolNames: ReadonlySet<string>;
  readonly hash: (text: string) => ContentHash = createContentHash();

  private constructor(prepared: PreparedEngine, engine: Engine, functions: EngineOptions['functions']) {
    this.#prepared = prepared;
    this.#functions = functions;
    this.set = engine.profiles;
    const exposed = [...engine.profiles.profiles.values()].flatMap((profile) => profile.exposableAsTool?.name ?? []);
    this.toolNames = new Set([...engine.toolNames, ...exposed]);
  }

  /** Loads and checks profiles. Fails with PROFILE_INVALID, naming every problem. */
  static async open(options: TestedProfilesOptions): Promise<TestedProfiles> {
    const { more = [], declared = {} } = options;
    const first = await TestedProfiles.#prepare(options, options.profiles, declared);
    if (more.length === 0) return first;
    return await TestedProfiles.#prepare(options, { files: [...first.set.files, ...more] }, declared);
  }

  static async #prepare(
    options: TestedProfilesOptions,
    profiles: EngineOptions['profiles'],
    declared: Readonly<Record<string, DeclaredTool>>,
  ): Promise<TestedProfiles> {
    const { env = {}, tools, ingestors, observers, functions } = options;
    const prepared = await prepareEngine({
      profiles,
      env,
      models: { '*': scriptedModel([]) },
      toolsets: await declaredToolsets(profiles, { env, declared }),
      ...(tools === undefined ? {} : { tools }),
      ...(ingestors === undefined ? {} : { ingestors }),
      ...(observers === undefined ? {} : { observers }),
      ...(functions === undefined ? {} : { functions }),
    });
    // Opened only to learn what there is.
    await using engine = await prepared.open({ store: 'memory' });
    return new TestedProfiles(prepared, engine, functions);
  }

  /** Opens an engine for one case; a `script` answers instead of the doubles. */
  async engine(doubles: CaseDoubles, watch: DecisionWatch, script?: AiSdkModel): Promise<CaseEngine> {
    const journal = createMemoryJournal();
    const clock = manualClock(beginning);
    const replies = new AsyncLocalStorage<ScriptedReply>();
    const model: AiSdkModel = script ?? scriptedModel(() => replies.getStore() ?? { text: summary }, { keepRequests: 0 });
    const engine = await this.#prepared.open({
      store: journal,
      clock,
      models: { '*': model },
      ids: countingIds(),
      env: {},
      random: () => 0.5,
      graceMs: 0,
      watch,
      ...(this.#functions === undefined ? {} : { functions: this.#functions }),
      doubles: {
        tool: doubles.tool,
        model: async (request, call): Promise<ModelOutcome> => {
          const { caller, purpose, signal } = request;
          if (caller === undefined || purpose !== undefined || script !== undefined) return await call();
          return await replies.run(await doubles.reply(caller, signal), call);
        },
      },
    });
    return { engine, journal, clock, [Symbol.asyncDispose]: async () => await engine.close({ graceMs: 0 }) };
  }
}

/** Kinds of toolsets that connect to a server or load code. */
const connecting: ReadonlySet<string> = new Set(['mcp', 'module']);

/**
 * Returns stand-ins for the toolsets that would connect to a server or load code, and for those that a test declares tools of: each has
 * the declared tools, and connects to nothing.
 */
async function declaredToolsets(
  profiles: EngineOptions['profiles'],
  { env, declared }: { readonly env: Readonly<Record<string, string>>; readonly declared: Readonly<Record<string, DeclaredTool>> },
): Promise<NonNullable<EngineOptions['toolsets']>> {
  const names = new Set(Object.values(declared).map(({ toolset }) => toolset));
  // The engine reports what does not compile, with more context.
  const input = typeof profiles === 'object' && 'profiles' in profiles ? { files: profiles.files } : profiles;
  const set = await loadProfiles(input, { env }).catch(() => undefined);
  for (const { name, kind } of set?.toolsets.values() ?? []) if (connecting.has(kind)) names.add(name);
  return Object.fromEntries([...names].map((name) => [name, () => standIn(name, declared)]));
}

function standIn(toolset: string, declared: Readonly<Record<string, DeclaredTool>>): Toolset {
  const own = Object.entries(declared).filter(([, tool]) => tool.toolset === toolset);
  return {
    tools: own.map(([name, { description = '', parameters = { type: 'object' }, effect = 'unsafe' }]) => ({
      name,
      toolset,
      description,
      parameters,
      effect,
      execute: () => {
        throw new Error(`${name} is declared by a test and cannot be run`);
      },
    })),
  };
}
