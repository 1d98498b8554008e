import type { ProfileSet, CompiledProfile, ExposedAsTool, HandoverProtocol } from '../../core/profile/profile.ts';
import type { Tool, ToolCatalog, TransitionTool } from '../../core/tool/tool.ts';
import { isCallable, calleeOf, propertiesOf } from './callee.ts';
import { readPath } from '../../core/expression/read-path.ts';
import type { JsonSchema, JsonValue } from '../../core/json.ts';
import { argumentCheck } from '../../tools/schema/check-arguments.ts';
import { mergeParameters } from '../../tools/merge-handover.ts';
import { teamTool } from '../team-tool.ts';
import { textOf } from '../reports/text-of.ts';
import { type Answer, beginCall, continueCall } from './agent-call.ts';
import { type AgentReport, isFailure } from './agent-report.ts';
import { agentIdParameter } from './agent-id-parameter.ts';

/**
 * Adds the profiles of a set that are exposed as tools to a catalog. They belong to the set, not to the engine: a run keeps the
 * profiles it was started with, and so does their exposure as tools.
 */
export function withExposedProfiles(
  catalog: ToolCatalog,
  { profiles, protocols }: Pick<ProfileSet, 'profiles' | 'protocols'>,
): ToolCatalog {
  const exposed = new Map<string, Tool>();
  for (const profile of profiles.values()) {
    const tool = profile.exposableAsTool;
    if (tool === undefined || !isCallable(profile)) continue;
    const protocol = tool.protocol === undefined ? undefined : protocols.get(tool.protocol);
    exposed.set(tool.name, exposedProfile(profile, tool, protocol));
  }
  if (exposed.size === 0) return catalog;
  const inToolset = (toolset: string): readonly Tool[] => [...exposed.values()].filter((tool) => tool.toolset === toolset);
  const toolsets = new Set([...exposed.values()].map((tool) => tool.toolset));
  return {
    get: (name) => exposed.get(name) ?? catalog.get(name),
    names: () => [...catalog.names().filter((name) => !exposed.has(name)), ...exposed.keys()],
    toolsets: () => [...new Set([...catalog.toolsets(), ...toolsets])],
    inToolset: (toolset) => [...catalog.inToolset(toolset).filter(({ name }) => !exposed.has(name)), ...inToolset(toolset)],
    wireName: (name) => catalog.wireName(name),
    fromWire: (wire) => catalog.fromWire(wire),
  };
}

/** Creates the tool that exposes a profile: a call starts an agent of the profile, or continues one, and returns its result. */
function exposedProfile(profile: CompiledProfile, exposed: ExposedAsTool, protocol: HandoverProtocol | undefined): TransitionTool {
  const parameters = withAgentId(mergeParameters(exposed.parameters, protocol?.contextParameters ?? {}), exposed);
  const answer: Answer = ([report]) => answerOf(report, exposed.result);
  const tool = teamTool({
    name: exposed.name,
    description: exposed.description,
    toolset: exposed.toolset,
    effect: 'idempotent',
    parameters,
    ...(exposed.guide === undefined ? {} : { guide: exposed.guide }),
    run: (args, context) => {
      const { agent_id: agentId, ...params } = args;
      const given = exposed.isResumable ? params : args;
      const callee = calleeOf(profile, given, context.protocols);
      const shown = context.argsTaint === undefined ? undefined : context.shownArgs;
      const id = exposed.isResumable ? textOf(agentId) : '';
      return beginCall([{ callee, params: given, shown, ...(id === '' ? {} : { agentId: id }) }], context, answer);
    },
    resume: (_, context, _happening, memo) => continueCall(memo, context, answer),
  });
  return {
    ...tool,
    concurrency: exposed.concurrency,
    byNameOnly: true,
    check: argumentCheck(parameters, `tool ${exposed.name}`),
  };
}

function withAgentId(schema: JsonSchema, exposed: ExposedAsTool): JsonSchema {
  if (!exposed.isResumable) return schema;
  return { ...schema, properties: { ...propertiesOf(schema), agent_id: agentIdParameter } };
}

/** Returns the whole report, or the promised part of it when the agent succeeded and provides that part. */
function answerOf(report: AgentReport | undefined, result: string): ReturnType<Answer> {
  if (report === undefined) return { content: '', isError: true };
  const whole = { content: JSON.stringify(report), isError: isFailure(report) };
  if (result === 'report' || report.status !== 'success') return whole;
  const part = readPath({ state: report }, `state.${result}`) as JsonValue | undefined;
  return part === null || part === undefined ? whole : { content: textOrJson(part), isError: false };
}

function textOrJson(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
