import { agentsToolset } from '../../core/tool/agents-toolset.ts';
import { type JsonObject, isJsonObject } from '../../core/json.ts';
import type { ExposedAsTool } from '../../core/profile/profile.ts';
import { quote } from '../wording.ts';
import { childOf, toPlainObject, type MapNode, type SourceNode } from '../yaml/source-node.ts';
import { checkJsonSchema } from './checks/check-json-schema.ts';
import { checkName, type CompileContext } from './compile-context.ts';
import { mapNode, readFlag, readNumber, readText, textNode } from './read-node.ts';
import { requireKey } from './checks/require-key.ts';

/** Default maximum number of agents of one profile nested in each other. */
const defaultMaxDepth = 3;

/** Argument that gives an existing agent another task; reserved for the engine. */
const idParameter = 'agent_id';

/** Parameters of an exposed profile that declares none. */
const defaultParameters: JsonObject = {
  type: 'object',
  required: ['input'],
  properties: {
    input: {
      type: 'string',
      'x-handover-title': 'Your task',
      description: 'What it is to do, with everything it needs to know: it does not see your conversation.',
    },
  },
};

/** Compiles how a profile is exposed to other agents as a tool; undefined when it is not exposed. */
export function compileExposed(context: CompileContext, profile: MapNode): ExposedAsTool | undefined {
  const node = mapNode(profile, 'exposable_as_tool');
  if (node === undefined) return undefined;
  requireKey(context, node, { key: 'name', owner: 'exposable_as_tool' });
  requireKey(context, node, { key: 'description', owner: 'exposable_as_tool' });
  const name = textNode(node, 'name');
  if (name !== undefined) checkExposedName(context, name);
  const isResumable = readFlag(node, 'resumable') ?? true;
  const parameters = compileParameters(context, node, isResumable);
  const protocol = textNode(node, 'protocol');
  if (protocol !== undefined)
    checkName(context, protocol, { known: context.protocols.keys(), code: 'UNKNOWN_PROTOCOL', what: 'handover protocol' });
  const concurrency = readText(node, 'concurrency');
  const guide = readText(node, 'guide');
  return {
    name: name?.value ?? '',
    description: readText(node, 'description') ?? '',
    parameters,
    ...(protocol === undefined ? {} : { protocol: protocol.value }),
    toolset: readText(node, 'toolset') ?? agentsToolset,
    result: readText(node, 'result') ?? 'report',
    maxDepth: readNumber(node, 'max_depth') ?? defaultMaxDepth,
    concurrency: concurrency === 'serial' || concurrency === 'exclusive' ? concurrency : 'parallel',
    isResumable,
    ...(guide === undefined ? {} : { guide }),
  };
}

function compileParameters(context: CompileContext, node: MapNode, isResumable: boolean): JsonObject {
  const parameters = mapNode(node, 'parameters');
  if (parameters === undefined) return defaultParameters;
  checkJsonSchema(context.report, parameters, { what: 'exposable_as_tool.parameters' });
  const own = childOf(mapNode(parameters, 'properties'), idParameter);
  if (own !== undefined && isResumable)
    context.report.error('NOT_ALLOWED', {
      at: own.at,
      message: `the parameter ${quote(idParameter)} is reserved for the engine: it names the agent that gets another task`,
      hint: 'call it something else, or write resumable: false',
    });
  const schema = toPlainObject(parameters);
  return isJsonObject(schema['properties']) ? schema : { ...schema, properties: {} };
}

function checkExposedName(context: CompileContext, name: SourceNode & { readonly value: string }): void {
  if (context.known.tools?.has(name.value) === true) {
    context.report.error('DUPLICATE_NAME', {
      at: name.at,
      message: `a tool ${quote(name.value)} exists already`,
      hint: 'expose the profile under another name',
    });
    return;
  }
  const first = context.exposedTools.get(name.value);
  if (first === undefined || (first.file === name.at.file && first.start === name.at.start)) return;
  const { file, line } = first.file.refAt(first.start);
  context.report.error('DUPLICATE_NAME', {
    at: name.at,
    message: `another profile is exposed as the tool ${quote(name.value)} (${file}:${line})`,
    hint: 'expose one of them under another name',
  });
}
