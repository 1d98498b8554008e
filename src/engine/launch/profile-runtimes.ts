import type { CodedObserver, Env } from '../../core/env.ts';
import { CadreError } from '../../core/error.ts';
import type { ContentHash } from '../../core/ids.ts';
import type { Ingestor } from '../../core/inbox/ingestor.ts';
import type { LlmConfig } from '../../core/model/llm-config.ts';
import type { KnownNames, KnownToolset } from '../../core/profile/known-names.ts';
import type { ProfileFile, ProfileSet } from '../../core/profile/profile.ts';
import type { Secrets } from '../../core/secrets/secrets.ts';
import type { ToolsetConfig } from '../../core/tool/toolset-config.ts';
import { createAgentNode } from '../../nodes/turn/agent-node.ts';
import { createToolNode } from '../../nodes/tools/tool-node.ts';
import { adviseOnProfiles } from '../../profiles/advice/advise-on-profiles.ts';
import { checkGates } from '../../profiles/gates/check-gates.ts';
import { invalidProfiles, loadProfiles } from '../../profiles/load-profiles.ts';
import { shippedPrices } from '../../profiles/files/shipped-prices.ts';
import { rememberProfiles } from '../../files/guard/engine-places.ts';
import { rememberProject } from '../../files/programs/agent-places.ts';
import { readModuleFiles } from '../../toolsets/module/read-module-files.ts';
import { buildEnv } from '../run/build-env.ts';
import { addConfigSecrets } from './config-secrets.ts';
import type { EngineOptions } from '../engine-options.ts';
import type { ProfileRuntime, RecordedSet, EngineParts } from '../engine-parts.ts';
import type { GivenModels } from '../../models/providers/given-models.ts';
import { createLlmConfigs, type LlmConfigs } from './llm-configs.ts';
import type { CodePorts, CodeTools } from '../toolsets/code-tools.ts';
import { readGivenTools } from '../toolsets/given-tools.ts';
import { knownToolsetKinds } from '../toolsets/known-toolset-kinds.ts';
import { callableTools, openToolsets } from '../toolsets/callable-tools.ts';
import { makeToolsets } from '../toolsets/make-toolsets.ts';
import { withStandIns } from '../rerender/stand-in-tools.ts';
import { recordedCodeTools } from '../toolsets/recorded-code-tools.ts';
import { SetDecisionContexts } from '../toolsets/decision-contexts.ts';
import { checkProfileInput } from '../check-engine-options.ts';
import { ToolsetHold } from '../toolsets/toolset-hold.ts';

/** Parts shared by all profile sets of a program. */
export interface ProfileRuntimeParts extends CodePorts {
  readonly secrets: Secrets;
  readonly hash: (text: string) => ContentHash;
  readonly ingestors: { get(name: string): Ingestor | undefined };
  readonly observers: ReadonlyMap<string, CodedObserver>;
  /** Names that profiles may use besides tools and toolsets. */
  readonly known: Omit<KnownNames, 'tools' | 'toolsets' | 'toolPrefixes' | 'toolsetTools'>;
  /** Model objects given by code, by name, with the models they say they are. */
  readonly models: GivenModels;
  /** Configs named in a recording; absent without a replay. */
  readonly recordedConfigs: ReadonlySet<string> | undefined;
  readonly titles: EngineOptions['titles'];
  readonly strict: EngineOptions['strict'];
  readonly env: EngineOptions['env'];
  /** Called with the name of each tool in a catalog. */
  readonly onTool: (name: string) => void;
}

/** Most sets of earlier or edited runs that are kept ready. */
const mostRebuilt = 8;

/**
 * Prepares profile sets to run, each with its own tools: those that its files declare and those that code gave. Sets share only connecting
 * toolsets of the same name, kind and settings (`ToolsetPool`).
 */
export class ProfileRuntimes {
  readonly #parts: ProfileRuntimeParts;
  /** By content: models cache by a config's identity, also when files are built again. */
  readonly #llmConfigs = new Map<string, LlmConfigs>();
  readonly #rebuilt = new Map<string, Promise<ProfileRuntime>>();
  /** Folders of code files that were loaded from folders: a journal does not record them. */
  readonly #codePlaces = new Map<string, string>();

  constructor(parts: ProfileRuntimeParts) {
    this.#parts = parts;
  }

  /** Compiles profiles and checks everything they name against the available tools. */
  async build(source: EngineOptions['profiles'], code: CodeTools): Promise<ProfileRuntime> {
    const { known } = this.#parts;
    const runtime = await this.#build(source, code, { ...known, ...toolNames(code) }, [shippedPrices()]);
    return this.#checked(runtime);
  }

  /**
   * Returns a runtime whose warnings are complete: with those about its gates and conditions, which need the tools. Fails with PROFILE_INVALID for
   * a gate that cannot work, and, when strict, for any warning.
   */
  #checked(runtime: ProfileRuntime): ProfileRuntime {
    const { set, decision, decisions } = runtime;
    const { connecting } = decisions;
    const gates = checkGates(set.profiles.values(), (profile) => ({
      tools: callableTools(profile, decision.env),
      open: openToolsets(profile, set, connecting),
    }));
    const advice = adviseOnProfiles(set, {
      tools: new Set(decision.env.catalog.names()),
      toolPrefixes: [...connecting.map(({ name }) => name), ...set.toolsets.keys()].map((name) => `${name}_`),
    });
    const warnings = [...set.warnings, ...gates, ...advice];
    if (warnings.some(({ severity }) => severity === 'error') || (this.#parts.strict === true && warnings.length > 0))
      throw invalidProfiles(warnings);
    return { ...runtime, set: { ...set, warnings } };
  }

  /**
   * Restores a run's recorded profile set in a program whose code gives `now`. Tools that this program lacks are not offered any more, and
   * their calls are answered. Fails with TOOLSETS_CHANGED when toolsets cannot be restored.
   */
  rebuild({ files, given }: RecordedSet, now: CodeTools): Promise<ProfileRuntime> {
    // Runs that are resumed together often have the same files.
    const key = JSON.stringify([files, given]);
    const made =
      this.#rebuilt.get(key) ??
      Promise.try(() => {
        const code = given === undefined ? now : recordedCodeTools(now, readGivenTools(given), this.#parts);
        return this.#build({ files }, code, this.#parts.known);
      });
    this.#rebuilt.delete(key);
    const [oldest] = this.#rebuilt.keys();
    if (this.#rebuilt.size >= mostRebuilt && oldest !== undefined) this.#rebuilt.delete(oldest);
    this.#rebuilt.set(key, made);
    // The cause of the failure may be gone at the next attempt.
    made.catch(() => this.#rebuilt.delete(key));
    return made;
  }

  /**
   * Prepares profiles to decide recorded turns again: with the code tools of the record, those that this program lacks as tools without code.
   * Connects nothing.
   */
  async rehearse(source: EngineOptions['profiles'], given: string | undefined, now: CodeTools): Promise<ProfileRuntime> {
    if (given === undefined) return await this.build(source, now);
    const recorded = readGivenTools(given);
    return await this.build(source, recordedCodeTools(withStandIns(now, recorded, this.#parts), recorded, this.#parts));
  }

  /** Returns a config by name from the set that `from` belongs to; from any set when it belongs to none. */
  llmConfig(name: string, from: LlmConfig): LlmConfig | undefined {
    const all = [...this.#llmConfigs.values()];
    const own = all.find((configs) => configs.has(from));
    return own === undefined ? all.map((configs) => configs.find(name)).find((found) => found !== undefined) : own.find(name);
  }

  async #build(
    source: EngineOptions['profiles'],
    code: CodeTools,
    known: Partial<KnownNames>,
    before: readonly ProfileFile[] = [],
  ): Promise<ProfileRuntime> {
    const { hash, secrets, pool, env, onTool } = this.#parts;
    for (const folder of [filesOf(source)].flat()) {
      if (typeof folder !== 'string') continue;
      rememberProfiles(folder);
      rememberProject(folder);
    }
    const set = await loadProfiles(filesOf(source), {
      known: async (files) => ({ ...known, toolsetKinds: await knownToolsetKinds(files) }),
      before,
      readCode: readModuleFiles,
      codePlaces: this.#codePlaces,
      ...(env === undefined ? {} : { env }),
    });
    for (const { code: loaded } of set.toolsets.values())
      for (const { path, place } of loaded?.files ?? []) if (place !== undefined) this.#codePlaces.set(path, place);
    addConfigSecrets(secrets, set, env ?? process.env);
    const toolsets = await makeToolsets(pool, set, code.toolsets);
    const llmConfigs = this.#configsOf(set);
    const titles = this.#titlesOf(set, llmConfigs);
    const { base } = code;
    const decisions = new SetDecisionContexts({ base, toolsets, observers: this.#parts.observers }, (catalog, observers) => {
      for (const name of catalog.names()) onTool(name);
      const { ingestors } = this.#parts;
      const made: Env = buildEnv({ set, catalog, ingestors, observers, llmConfigs, hash, secrets, titles });
      return { env: made, agentNode: createAgentNode(made), toolNode: createToolNode(made) };
    });
    const { decision, leftOut } = decisions.with(new Map());
    for (const [toolset, problems] of leftOut)
      throw new CadreError('TOOL_INVALID', `toolset '${toolset}': ${problems.join(' ')}`, { details: { toolset } });
    const files = JSON.stringify(set.files);
    return {
      decision,
      decisions,
      set,
      code,
      reaching: withRecorded(set, code.recorded),
      viewed: set.profiles,
      snapshot: { hash: hash(files), text: files },
      llmConfigOf: (profile, override) => llmConfigs.of(profile, override),
      findLlmConfig: (name) => llmConfigs.find(name),
      isUnpriced: (config) => llmConfigs.isUnpriced(config),
    };
  }

  #configsOf({ llmConfigs, prices }: ProfileSet): LlmConfigs {
    const { models, recordedConfigs } = this.#parts;
    const content = JSON.stringify([[...llmConfigs], [...prices]]);
    const configs = this.#llmConfigs.get(content) ?? createLlmConfigs(llmConfigs, { models, prices, recorded: recordedConfigs });
    this.#llmConfigs.set(content, configs);
    return configs;
  }

  /** Returns the options for titles, after checking that their LLM config exists. */
  #titlesOf({ team }: ProfileSet, configs: LlmConfigs): EngineOptions['titles'] {
    const { titles = team?.titles, recordedConfigs } = this.#parts;
    // A replay has only the calls that were recorded.
    if (recordedConfigs !== undefined || titles === undefined) return undefined;
    if (configs.find(titles.llmConfig) !== undefined) return titles;
    const known = configs.names().join(', ') || 'none';
    throw new CadreError('OPTION_INVALID', `titles: there is no LLM config '${titles.llmConfig}'; there are: ${known}`);
  }
}

function filesOf(source: EngineOptions['profiles']): string | readonly string[] | { readonly files: readonly ProfileFile[] } {
  return typeof source === 'object' && 'files' in source ? { files: source.files } : source;
}

/** Returns a set in which recorded toolsets appear as if its files declared them: no program vouches for them. */
function withRecorded(set: ProfileSet, recorded: CodeTools['recorded']): ProfileSet {
  if (recorded.length === 0) return set;
  const configs = recorded.map((given): ToolsetConfig => ({ ...given, secrets: [], missing: [] }));
  const files = recorded.map(({ name, kind, settings }) => ({
    path: `recorded/toolsets/${name}.yaml`,
    text: JSON.stringify({ type: 'toolset', name, kind, settings }),
  }));
  return {
    ...set,
    toolsets: new Map([...set.toolsets, ...configs.map((config) => [config.name, config] as const)]),
    files: [...set.files, ...files],
  };
}

/** Returns the names that profiles may use for tools given by code; a toolset's own tools are known once it is created. */
function toolNames({ base, toolsets }: CodeTools): Pick<KnownNames, 'tools' | 'toolsets' | 'toolPrefixes' | 'toolsetTools'> {
  const toolsetTools = new Map<string, KnownToolset>();
  for (const [name, tools] of Map.groupBy(base, ({ toolset }) => toolset))
    toolsetTools.set(name, { tools: tools.map((tool) => tool.name) });
  for (const toolset of toolsets) toolsetTools.set(toolset.name, 'kind' in toolset ? { kind: toolset.kind } : {});
  const declared = toolsets.map(({ name }) => name);
  return {
    tools: new Set(base.map(({ name }) => name)),
    toolsets: new Set([...base.map(({ toolset }) => toolset), ...declared]),
    toolPrefixes: new Set(declared.map((name) => `${name}_`)),
    toolsetTools,
  };
}

/**
 * Profiles that an engine launches runs with.
 *
 * Owns: their replacement, and how long their toolsets stay connected. Does not own: the profiles of runs in progress.
 */
export class LaunchProfiles {
  readonly #parts: EngineParts;
  /** Toolsets that launches use; connected from the first launch on. */
  #toolsets: ToolsetHold;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#toolsets = ToolsetHold.ofAll(parts.runtime);
  }

  /** Loads other profiles. When that fails, nothing has changed; `assertOpen` throws when the engine was closed meanwhile. */
  async reload(profiles: EngineOptions['profiles'], assertOpen: () => void): Promise<ProfileSet> {
    checkProfileInput('engine.reload: profiles', profiles);
    const runtime = await this.#parts.prepare(profiles);
    assertOpen();
    const before = this.#toolsets;
    this.#parts.runtime = runtime;
    this.#toolsets = ToolsetHold.ofAll(runtime);
    await before.release();
    return runtime.set;
  }

  async release(): Promise<void> {
    await this.#toolsets.release();
  }
}
