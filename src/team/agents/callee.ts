import { closestName } from '../../core/expression/closest-name.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { CompiledProfile, HandoverProtocol } from '../../core/profile/profile.ts';
import type { TransitionContext } from '../../core/tool/transition.ts';

/** A profile as a call sees it: the parameters of its agents and the limits of nested calls. */
export interface Callee {
  readonly profile: CompiledProfile;
  readonly protocol: HandoverProtocol;
  /** Maximum number of nested agents of the profile. */
  readonly maxDepth: number;
  readonly isResumable: boolean;
}

/** Default limit of nested agents of one profile. */
const usualMaxDepth = 3;

const builtInProtocol: HandoverProtocol = {
  name: 'agent_call_briefing',
  version: 'built-in',
  description: 'The briefing of an agent that was called, in runs that have no protocol of this name.',
  contextParameters: { type: 'object', properties: {} },
  inheritance: [],
  targetSource: 'AGENT_STARTUP_BRIEFING',
  source: { file: '(built in)', line: 1, column: 1 },
};

/** True when agents of a profile can be called; abstract profiles, which exist for inheritance, cannot. */
export function isCallable(profile: CompiledProfile): boolean {
  return profile.isActive && !profile.isDeleted && profile.type !== 'base';
}

/**
 * Prepares a profile for a call with these arguments. Uses the protocol it names, otherwise the run's `agent_call_briefing`,
 * otherwise the built-in one; every argument is passed on in any case.
 */
export function calleeOf(profile: CompiledProfile, args: JsonObject, protocols: TransitionContext['protocols']): Callee {
  const exposed = profile.exposableAsTool;
  const named = exposed?.protocol === undefined ? undefined : protocols.get(exposed.protocol);
  const protocol = named ?? protocols.get(builtInProtocol.name) ?? builtInProtocol;
  const given: JsonObject = Object.fromEntries(Object.keys(args).map((key) => [key, {}]));
  const properties = { ...propertiesOf(exposed?.parameters), ...propertiesOf(protocol.contextParameters) };
  return {
    profile,
    protocol: {
      ...protocol,
      contextParameters: { ...protocol.contextParameters, properties: { ...properties, ...withoutKeys(given, properties) } },
    },
    maxDepth: exposed?.maxDepth ?? usualMaxDepth,
    isResumable: exposed?.isResumable ?? true,
  };
}

/** Returns the properties a schema declares. */
export function propertiesOf(schema: JsonObject | undefined): JsonObject {
  const properties = schema?.['properties'];
  return isJsonObject(properties) ? properties : {};
}

function withoutKeys(object: JsonObject, keys: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !Object.hasOwn(keys, key)));
}

/** Builds the message for a profile that cannot be called, with a list of the callable ones. */
export function notCallable(name: string, callable: readonly string[]): string {
  const meant = closestName(name.slice(0, 100), callable);
  const guess = meant === undefined ? '' : `; did you mean ${meant}?`;
  return `you cannot call ${JSON.stringify(name.slice(0, 100))}${guess} Profiles you can call: ${callable.join(', ') || 'none'}.`;
}
