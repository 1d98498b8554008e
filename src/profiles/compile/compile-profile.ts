import { mayAskModel } from '../../core/profile/planner.ts';
import { defaultOutputRepairs } from '../../core/prompt/output-format.ts';
import type { Template } from '../../core/expression/template.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import { childOf, toPlain, toPlainObject, type MapNode } from '../yaml/source-node.ts';
import { nameHint, quote } from '../wording.ts';
import { baseType } from './base-type.ts';
import { checkJsonSchema } from './checks/check-json-schema.ts';
import { checkName, checkTool, checkToolset, refOf, type CompileContext } from './compile-context.ts';
import { checkToolChoice, compileDecider } from './flow/compile-decider.ts';
import { compileCheckpoints } from './flow/compile-checkpoints.ts';
import { compileExposed } from './compile-exposed.ts';
import { compileGates } from './flow/compile-gates.ts';
import { compileStagnation } from './flow/compile-stagnation.ts';
import type { TextKeys } from './flow/compile-item.ts';
import { compileContextPolicy } from './compile-context-policy.ts';
import { compilePlanner } from './flow/compile-planner.ts';
import { compileObservers } from './flow/compile-observers.ts';
import { compileSegments } from './compile-segments.ts';
import { compileText } from './compile-text.ts';
import { toMilliseconds } from './configs/duration.ts';
import { deliverablesCheck } from './checks/deliverables-check.ts';
import { chooseLlmConfig } from './configs/choose-llm-config.ts';
import { asText, mapNode, readFlag, readNumber, readObject, readText, textItems, textNode } from './read-node.ts';
import { originsOf } from './resolved-origins.ts';
import { compileLimits } from './compile-limits.ts';
import { compileStrategies } from './compile-strategies.ts';

/** Matches all tools except those that must be named. */
const everything = '*';

/** Compiles a profile after inheritance and reports all its problems. */
export function compileProfile(context: CompileContext, node: MapNode, name: string): CompiledProfile {
  const type = readText(node, 'type') ?? 'agent';
  const texts = compileTexts(context, node);
  const keys = textKeys(context, node, { texts, type });
  const policy = mapNode(node, 'tool_access_policy');
  const toolsets = textItems(policy, 'allowed_toolsets');
  const tools = textItems(policy, 'allowed_individual_tools');
  for (const toolset of toolsets) if (toolset.value !== everything) checkToolset(context, toolset);
  for (const tool of tools) if (tool.value !== everything) checkTool(context, tool);
  const callable = textItems(node, 'callable_profiles');
  for (const profile of callable)
    checkName(context, profile, { known: context.profileNames, code: 'UNKNOWN_PROFILE', what: 'profile' });
  const choice = textNode(node, 'tool_choice');
  if (choice !== undefined) checkToolChoice(context, choice);
  const schemaNode = mapNode(node, 'deliverables_schema');
  if (schemaNode !== undefined) checkJsonSchema(context.report, schemaNode, { what: 'deliverables_schema' });
  const deliverablesSchema = readObject(node, 'deliverables_schema');
  const output = compileOutput(context, node);
  const functions = compileFunction(context, node);
  const planner = compilePlanner(context, node);
  const needsNoModel = functions.functionNode !== undefined || (planner !== undefined && !mayAskModel(planner));
  const exposed = compileExposed(context, node);
  return {
    name,
    type,
    description: readText(node, 'description_for_human') ?? '',
    rev: readNumber(node, 'rev') ?? 1,
    isActive: readFlag(node, 'is_active') ?? true,
    isDeleted: readFlag(node, 'is_deleted') ?? false,
    availableForStaffing: readFlag(node, 'available_for_staffing') ?? false,
    llmConfigRef: chooseLlmConfig(context, node, type === baseType || needsNoModel),
    segments: compileSegments(context, node, { texts, keys }),
    textDefinitions: texts,
    allowedToolsets: unique(toolsets),
    allowedTools: unique(tools),
    preTurnObservers: compileObservers(context, node, { key: 'pre_turn_observers', keys }),
    postTurnObservers: compileObservers(context, node, { key: 'post_turn_observers', keys }),
    flowDecider: compileDecider(context, node, keys),
    strategies: compileStrategies(context, node),
    limits: compileLimits(node),
    toolGates: compileGates(context, node),
    stagnation: compileStagnation(context, node),
    checkpoints: compileCheckpoints(context, node),
    toolChoice: choice?.value ?? 'auto',
    contextPolicy: compileContextPolicy(context, node),
    ...(deliverablesSchema === undefined ? {} : { deliverablesSchema }),
    checkDeliverables: deliverablesCheck(deliverablesSchema),
    ...(output === undefined ? {} : { output }),
    ...(exposed === undefined ? {} : { exposableAsTool: exposed }),
    callableProfiles: unique(callable),
    ...functions,
    ...(planner === undefined ? {} : { planner }),
    resolved: toPlainObject(node),
    origins: originsOf(node),
    source: refOf(node),
  };
}

function compileFunction(context: CompileContext, node: MapNode): Pick<CompiledProfile, 'functionNode' | 'functionTimeoutMs'> {
  const name = textNode(node, 'function_node');
  const { functions } = context.known;
  if (name !== undefined && functions !== undefined)
    checkName(context, name, { known: functions, code: 'UNKNOWN_FUNCTION', what: 'function' });
  const timeout = childOf(node, 'function_timeout');
  const functionTimeoutMs = timeout === undefined ? undefined : toMilliseconds(toPlain(timeout));
  return {
    ...(name === undefined ? {} : { functionNode: name.value }),
    ...(functionTimeoutMs === undefined ? {} : { functionTimeoutMs }),
  };
}

function compileOutput(context: CompileContext, node: MapNode): CompiledProfile['output'] {
  const schemaNode = mapNode(node, 'output_schema');
  if (schemaNode === undefined) return undefined;
  checkJsonSchema(context.report, schemaNode, { what: 'output_schema', anyType: true });
  return { schema: toPlainObject(schemaNode), repairs: readNumber(node, 'output_repairs') ?? defaultOutputRepairs };
}

function compileTexts(context: CompileContext, node: MapNode): ReadonlyMap<string, Template> {
  const texts = new Map<string, Template>();
  for (const [key, { value }] of mapNode(node, 'text_definitions')?.entries ?? []) {
    const text = asText(value);
    const template = text === undefined ? undefined : compileText(context, text);
    if (template !== undefined) texts.set(key, template);
  }
  return texts;
}

function textKeys(
  context: CompileContext,
  node: MapNode,
  { texts, type }: { readonly texts: ReadonlyMap<string, Template>; readonly type: string },
): TextKeys {
  const defined = mapNode(node, 'text_definitions')?.entries;
  return {
    check: (key) => {
      // A base may use texts that only inheriting profiles define.
      if (type === baseType || defined?.has(key.value) === true) return;
      context.report.error('UNKNOWN_CONTENT_KEY', {
        at: key.at,
        message: `there is no text definition ${quote(key.value)}`,
        hint: nameHint(key.value, [...texts.keys()], 'known text definitions'),
      });
    },
  };
}

function unique(nodes: readonly { readonly value: string }[]): readonly string[] {
  return [...new Set(nodes.map((node) => node.value))];
}
