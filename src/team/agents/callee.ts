import { closestName } from '../../core/expression/closest-name.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { CompiledProfile, HandoverProtocol } from '../../core/profile/profile.ts';
import type { TransitionContext } from '../../core/tool/transition.ts';

/** A profile as it is called: what its agents are handed, and how far calls may go. */
export interface Callee {
  readonly profile: CompiledProfile;
  readonly protocol: HandoverProtocol;
  /** Most agents of the profile one above the other. */
  readonly maxDepth: number;
  readonly isResumable: boolean;
}

/** How many agents of a profile may stand one above the other, when it does not say. */
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

/** Whether agents of a profile can be called at all: what is only inherited from has none. */
export function isCallable(profile: CompiledProfile): boolean {
  return profile.isActive && !profile.isDeleted && profile.type !== 'base';
}

/**
 * A profile as it is called with these arguments: its protocol is the one it names, else the run's `agent_call_briefing`,
 * else the built-in one; whichever it is, every argument is handed over.
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

/** The properties a schema declares. */
export function propertiesOf(schema: JsonObject | undefined): JsonObject {
  const properties = schema?.['properties'];
  return isJsonObject(properties) ? properties : {};
}

function withoutKeys(object: JsonObject, keys: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !Object.hasOwn(keys, key)));
}

/** Says that there is no such profile to call, and which there are. */
export function notCallable(name: string, callable: readonly string[]): string {
  const meant = closestName(name.slice(0, 100), callable);
  const guess = meant === undefined ? '' : `; did you mean ${meant}?`;
  return `you cannot call ${JSON.stringify(name.slice(0, 100))}${guess} Profiles you can call: ${callable.join(', ') || 'none'}.`;
}
