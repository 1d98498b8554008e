import { agentsToolset } from '../../core/tool/agents-toolset.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import type { Tool, TransitionTool } from '../../core/tool/tool.ts';
import type { TransitionContext } from '../../core/tool/transition.ts';
import { argumentCheck } from '../../tools/schema/check-arguments.ts';
import { teamTool } from '../team-tool.ts';
import { textOf } from '../reports/text-of.ts';
import { type Answer, beginCall, continueCall } from './agent-call.ts';
import { agentIdParameter } from './agent-id-parameter.ts';
import { type AgentReport, isFailure } from './agent-report.ts';
import type { AgentRequest } from './admit-call.ts';
import { calleeOf, isCallable, notCallable } from './callee.ts';
import { dataOutcome } from '../tool-outcome.ts';

type Profiles = ReadonlyMap<string, CompiledProfile>;

const request: JsonObject = {
  type: 'object',
  required: ['profile', 'input'],
  properties: {
    profile: { type: 'string', description: 'Whom you call.' },
    input: {
      type: 'string',
      'x-handover-title': 'Your task',
      description: 'Its task, with everything it needs to know: it does not see your conversation.',
    },
    data: { type: 'object', description: 'More that it is handed, by name.' },
    agent_id: agentIdParameter,
  },
};

const reports = `Each report has a status: success; error, limit, stagnation or cancelled when the work was not done; waiting when the
agent has asked you something; refused when nobody went to work; or a word of the agent's own.`;

/** Creates the tool that calls one agent of a profile the caller may call. */
export function callAgent(): TransitionTool {
  const answer: Answer = ([report]) =>
    report === undefined ? { content: '', isError: true } : { content: JSON.stringify(report), isError: isFailure(report) };
  return agentTool({
    name: 'call_agent',
    description: 'Gives work to another agent and returns its report when it has ended.',
    guide: reports,
    parameters: request,
    run: (args, context) => {
      const made = toRequest(args, context, context.shownArgs);
      if (typeof made === 'string')
        return dataOutcome({ status: 'refused', profile: textOf(args['profile']), message: made }, [], true);
      return beginCall([made], context, answer);
    },
    resume: (_, context, _happening, memo) => continueCall(memo, context, answer),
  });
}

/** Creates the tool that calls several agents in parallel, of one or several profiles, and returns all of their reports. */
export function callAgents(): TransitionTool {
  return agentTool({
    name: 'call_agents',
    description: 'Gives work to several agents that work at the same time, and returns all of their reports when all have ended.',
    guide: reports,
    parameters: {
      type: 'object',
      required: ['calls'],
      properties: {
        calls: {
          type: 'array',
          minItems: 1,
          maxItems: 100,
          items: request,
          description: 'One entry per agent; none waits for another.',
        },
      },
    },
    run: (args, context) => {
      const calls = Array.isArray(args['calls']) ? (args['calls'] as readonly JsonValue[]).filter(isJsonObject) : [];
      const wrong = calls.flatMap((entry) => {
        const made = toRequest(entry, context);
        return typeof made === 'string' ? [made] : [];
      });
      // An unknown name refuses the whole call before anything happens, so that the model can repeat it.
      if (wrong.length > 0) return dataOutcome({ status: 'refused', message: [...new Set(wrong)].join(' ') }, [], true);
      const shown = context.shownArgs['calls'] as readonly JsonValue[] | JsonValue;
      const requests = calls
        .map((entry, index) => toRequest(entry, context, shownAt(shown, index)))
        .filter((made) => typeof made !== 'string');
      return beginCall(requests, context, answerAll);
    },
    resume: (_, context, _happening, memo) => continueCall(memo, context, answerAll),
  });
}

/** Builds the answer from all reports, in the order of the calls, with counts of the results. */
function answerAll(all: readonly AgentReport[]): ReturnType<Answer> {
  const failed = all.filter(isFailure).length;
  const status = failed === 0 ? 'success' : failed === all.length ? 'failed' : 'partial';
  const content: JsonObject = { status, message: `${all.length - failed} of ${all.length} calls came to a result.`, reports: all };
  return { content: JSON.stringify(content), isError: status === 'failed' };
}

/** Returns an entry as it is shown. A list that quotes untrusted text as a whole is shown as one text. */
function shownAt(shown: JsonValue | undefined, index: number): JsonObject {
  const entry: unknown = Array.isArray(shown) ? shown[index] : shown;
  return isJsonObject(entry) ? entry : { input: typeof entry === 'string' ? entry : '' };
}

/** Returns the parameters of a call of an agent. Data that quotes untrusted text as a whole is shown as one text. */
function paramsOf(args: JsonObject): JsonObject {
  const { data, input } = args;
  const more = isJsonObject(data) ? data : typeof data === 'string' ? { data } : {};
  return { ...more, input: textOf(input) };
}

function toRequest(args: JsonObject, context: TransitionContext, shownArgs: JsonObject = args): AgentRequest | string {
  const name = textOf(args['profile']);
  const callable = callableBy(context.profiles.get(context.agent.meta.profile), context.profiles);
  const profile = callable.find((candidate) => candidate.name === name);
  if (profile === undefined)
    return notCallable(
      name,
      callable.map((candidate) => candidate.name),
    );
  const params = paramsOf(args);
  const shown = context.argsTaint === undefined ? undefined : paramsOf(shownArgs);
  const agentId = textOf(args['agent_id']);
  return {
    callee: titled(calleeOf(profile, { ...params, ...shown }, context.protocols)),
    params,
    shown,
    ...(agentId === '' ? {} : { agentId }),
  };
}

/** Puts `input` first in a briefing, with a title, unless the protocol already gives it one. */
function titled(callee: AgentRequest['callee']): AgentRequest['callee'] {
  const { protocol } = callee;
  const { input, ...others } = (protocol.contextParameters['properties'] ?? {}) as JsonObject;
  const declared = isJsonObject(input) && Object.keys(input).length > 0 ? input : (request['properties'] as JsonObject)['input'];
  const properties: JsonObject = { input: declared ?? {}, ...others };
  return { ...callee, protocol: { ...protocol, contextParameters: { ...protocol.contextParameters, properties } } };
}

/** Returns the callable profiles among those an agent of this profile may call. */
function callableBy(caller: CompiledProfile | undefined, profiles: Profiles): readonly CompiledProfile[] {
  return (caller?.callableProfiles ?? []).flatMap((name) => {
    const profile = profiles.get(name);
    return profile !== undefined && isCallable(profile) ? [profile] : [];
  });
}

function agentTool(spec: Pick<TransitionTool, 'name' | 'description' | 'run' | 'parameters' | 'guide' | 'resume'>): TransitionTool {
  const { guide, resume, ...rest } = spec;
  const tool = teamTool({
    ...rest,
    toolset: agentsToolset,
    effect: 'idempotent',
    ...(guide === undefined ? {} : { guide }),
    ...(resume === undefined ? {} : { resume }),
  });
  return { ...tool, byNameOnly: true, forProfile: (caller, profiles) => forCaller(tool, caller, profiles) };
}

/** Returns the tool as a caller sees it, with names and descriptions of the profiles it may call; undefined when there are none. */
function forCaller(tool: TransitionTool, caller: CompiledProfile, profiles: Profiles): Tool | undefined {
  const callable = callableBy(caller, profiles);
  if (callable.length === 0) return undefined;
  const names = callable.map(({ name }) => name);
  const list = callable.map(
    ({ name, description }) => `- ${name}${description === '' ? '' : `: ${description.trim().replace(/(?<!\s)\s*\n\s*/g, ' ')}`}`,
  );
  const parameters = withNames(tool.parameters, names);
  return {
    ...tool,
    description: `${tool.description} You can call:\n${list.join('\n')}`,
    parameters,
    check: argumentCheck(parameters, `tool ${tool.name}`),
  };
}

/** Restricts every `profile` of a schema to these names. */
function withNames(schema: JsonObject, names: readonly string[]): JsonObject {
  const { properties } = schema;
  if (!isJsonObject(properties)) return schema;
  const profile = isJsonObject(properties['profile']) ? { profile: { ...properties['profile'], enum: names } } : {};
  const calls = isJsonObject(properties['calls']) ? properties['calls'] : undefined;
  const inner = isJsonObject(calls?.['items']) ? { calls: { ...calls, items: withNames(calls['items'], names) } } : {};
  return { ...schema, properties: { ...properties, ...profile, ...inner } };
}
