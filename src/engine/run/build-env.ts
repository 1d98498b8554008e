import { TurnContext } from '../../core/turn-context.ts';
import type { AgentTools, CodedObserver, Env } from '../../core/env.ts';
import type { ContentHash } from '../../core/ids.ts';
import type { Ingestor } from '../../core/inbox/ingestor.ts';
import { redactChanges } from '../../core/secrets/redact-changes.ts';
import type { LlmConfig } from '../../core/model/llm-config.ts';
import type { CompiledProfile, HandoverProtocol, ProfileSet } from '../../core/profile/profile.ts';
import type { Secrets } from '../../core/secrets/secrets.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { Tool, ToolCatalog } from '../../core/tool/tool.ts';
import { isWithin } from '../../core/tool/tool-bound.ts';
import { type ObserverPorts, runObservers } from '../../observers/run-observers.ts';
import { runRecipe } from '../../observers/state-recipe.ts';
import { withExposedProfiles } from '../../team/agents/agent-catalog.ts';
import { allowedTools, describeTools, offeredTool } from '../../tools/access.ts';
import { checkSchema } from '../../tools/schema/check-arguments.ts';
import { withHandover } from '../../tools/merge-handover.ts';
import { parseArguments } from '../../tools/schema/parse-arguments.ts';
import { toResult } from '../../tools/result-content.ts';
import type { LlmConfigs } from '../launch/llm-configs.ts';
import { redactThrown } from '../input/redact-input.ts';

/** Parts from which an environment is built. */
export interface EnvParts {
  readonly set: ProfileSet;
  /** Tools of the set: from code, toolsets and the team. Immutable. */
  readonly catalog: ToolCatalog;
  readonly ingestors: { get(name: string): Ingestor | undefined };
  readonly observers: ReadonlyMap<string, CodedObserver>;
  readonly llmConfigs: LlmConfigs;
  readonly hash: (text: string) => ContentHash;
  readonly secrets: Secrets;
  readonly titles?: Env['titles'];
}

/** Builds the environment of decisions: its parts know only core and meet here. */
export function buildEnv(parts: EnvParts): Env {
  const { set, ingestors, observers, llmConfigs, hash, secrets } = parts;
  const catalog = withExposedProfiles(parts.catalog, set);
  // Pure cache: the config of a profile, unless a run or an escalation names another one, never changes.
  const usualConfigs = new Map<CompiledProfile, LlmConfig>();
  const env: Env = {
    profiles: set.profiles,
    protocols: set.protocols,
    llmConfig: (profile, run, agent) => {
      const isSwitched = agent !== undefined && agent.streaks.escalations.length > 0;
      const other = run.meta.llmConfig ?? (isSwitched ? switchedConfig(agent) : undefined);
      if (other !== undefined) return llmConfigs.of(profile, other);
      let config = usualConfigs.get(profile);
      if (config === undefined) usualConfigs.set(profile, (config = llmConfigs.of(profile, undefined)));
      return config;
    },
    llmConfigOf: (name) => llmConfigs.resolve(name),
    ...(parts.titles === undefined ? {} : { titles: parts.titles }),
    catalog,
    toolsOf: createToolsOf(parts, catalog),
    ingestor: (name) => ingestors.get(name),
    observe: (tx, agent, profile, phase) => {
      const declared = phase === 'pre' ? profile.preTurnObservers : profile.postTurnObservers;
      return declared.length === 0 ? none : runObservers(new TurnContext(tx, env, agent), phase, observing);
    },
    parseArguments,
    checkSchema,
    toResult: (returned, maxChars, { address = hash, isOutside } = {}) => {
      try {
        return toResult(returned, maxChars, { address, isOutside: isOutside === true, redact: secrets.json });
      } catch (thrown) {
        throw redactThrown(secrets, thrown);
      }
    },
    recipe: (state, recipe, owner) => redactChanges(runRecipe(state, recipe, owner), secrets),
    hash,
    secrets,
  };
  const observing: ObserverPorts = { env, observer: (name) => observers.get(name), secrets, hash };
  return env;
}

const none: readonly never[] = [];

/** Returns the config of the agent's highest escalation level that names one. */
function switchedConfig({ streaks }: SubContext): string | undefined {
  return streaks.escalations.findLast(({ llmConfig }) => llmConfig !== undefined)?.llmConfig;
}

/** Most sets of tools kept per profile. */
const maxKnown = 100;

/** Prepares the tools of each profile once; agents with their own toolsets get a separate set. */
function createToolsOf({ set, secrets }: EnvParts, catalog: ToolCatalog): Env['toolsOf'] {
  const known = new WeakMap<CompiledProfile, Map<string, AgentTools>>();
  return (profile: CompiledProfile, agent: SubContext, bound = agent.turn.toolBound): AgentTools => {
    const toolsets = agent.meta.allowedToolsets;
    const {
      turn: { forbiddenTools },
    } = agent;
    const isUsual = toolsets === undefined && forbiddenTools.length === 0 && bound === undefined;
    const key = isUsual ? '' : JSON.stringify([toolsets, forbiddenTools, bound?.only, bound?.except]);
    const ofProfile = known.get(profile) ?? new Map<string, AgentTools>();
    known.set(profile, ofProfile);
    const before = ofProfile.get(key);
    if (before !== undefined) return before;
    if (ofProfile.size >= maxKnown) ofProfile.clear();
    const allowed = allowedTools(catalog, {
      allowedToolsets: toolsets ?? profile.allowedToolsets,
      allowedTools: profile.allowedTools,
    });
    const offered = allowed.flatMap((tool) => {
      if (forbiddenTools.includes(tool.name) || !isWithin(bound, tool, allowed)) return [];
      const adapted = tool.forProfile === undefined ? tool : tool.forProfile(profile, set.profiles);
      return adapted === undefined ? [] : [withOriginOf(tool, adapted)];
    });
    const made = prepareTools(offered, { catalog, set, secrets });
    ofProfile.set(key, made);
    return made;
  };
}

/** Copies the toolset and settings of a tool to its adapted form. */
function withOriginOf(tool: Tool, adapted: Tool): Tool {
  const { settingsFor, toolsetKind } = tool;
  if (adapted === tool || (settingsFor === undefined && toolsetKind === undefined)) return adapted;
  return {
    ...adapted,
    ...(settingsFor === undefined ? {} : { settingsFor }),
    ...(toolsetKind === undefined ? {} : { toolsetKind }),
  };
}

function prepareTools(
  allowed: readonly Tool[],
  { catalog, set, secrets }: Pick<EnvParts, 'set' | 'secrets'> & { readonly catalog: ToolCatalog },
): AgentTools {
  const tools = allowed.map((tool) => withProtocol(tool, set));
  const describe = (some: readonly Tool[]): string => secrets.text(describeTools(some, 'brief', (name) => catalog.wireName(name)));
  // A server's descriptions of its tools are outside data, too.
  const offered = secrets.json(tools.map(({ tool, protocol }) => offeredTool(catalog, tool, protocol)));
  return {
    tools: new Map(tools.map(({ tool, check }) => [tool.name, { ...tool, check }])),
    offered,
    offeredJson: JSON.stringify(offered),
    description: describe(allowed.filter((tool) => !isFromOutside(tool))),
    outside: [...Map.groupBy(allowed.filter(isFromOutside), ({ toolset }) => toolset)].map(([toolset, members]) => ({
      toolset,
      names: new Set(members.map(({ name }) => catalog.wireName(name))),
      description: describe(members),
    })),
    taint: [...new Set(allowed.flatMap((tool) => (isFromOutside(tool) ? [tool.toolset] : [])))],
  };
}

function isFromOutside({ descriptionTrust }: Tool): boolean {
  return descriptionTrust === 'untrusted';
}

/** Returns a tool that checks arguments against its own parameters together with those of its handover protocol. */
function withProtocol(
  tool: Tool,
  set: ProfileSet,
): { readonly tool: Tool; readonly protocol?: HandoverProtocol; readonly check: Tool['check'] } {
  const protocol = tool.handoverProtocol === undefined ? undefined : set.protocols.get(tool.handoverProtocol);
  return protocol === undefined ? { tool, check: tool.check } : { tool, protocol, check: withHandover(tool, protocol).check };
}
