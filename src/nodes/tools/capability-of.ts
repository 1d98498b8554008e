import { type Capability, type CapabilityParts, capabilityParts } from '../../core/state/capability.ts';
import type { Env } from '../../core/env.ts';
import type { ContentHash } from '../../core/ids.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { Tool } from '../../core/tool/tool.ts';
import { type GateVerdict, gateDefinition } from './tool-gates.ts';

/** The call a person is asked about. */
export interface AskedCall {
  readonly profile: CompiledProfile;
  readonly tool: Tool;
  readonly args: JsonObject;
  readonly gate: GateVerdict;
}

/** Returns the capability that a person grants by approving a call, as of now. */
export function capabilityOf(env: Env, run: RunContext, { profile, tool, args, gate }: AskedCall): Capability {
  const hash = (value: unknown): ContentHash => hashOf(env, value);
  return complete(env, {
    tool: hash(definitionOf(env, tool)),
    settings: hash([env.secrets.json(settingsOf(tool, run.meta.request)), tool.sandbox]),
    gate: hash(gate.definition),
    args: hash(args),
    profile: hash([profile.name, profile.resolved]),
  });
}

/** Returns the capability asked about, with the arguments a person substituted for the call's. */
export function withArguments(env: Env, asked: Capability, args: JsonObject): Capability {
  return complete(env, { ...asked, args: hashOf(env, args) });
}

/** The hash of something that is data. */
function hashOf(env: Env, value: unknown): ContentHash {
  return env.hash(JSON.stringify(value) ?? '');
}

function complete(env: Env, parts: CapabilityParts): Capability {
  const { tool, settings, gate, args, profile } = parts;
  return {
    fingerprint: env.hash(capabilityParts.map((part) => parts[part]).join(' ')),
    tool,
    settings,
    gate,
    args,
    profile,
  };
}

/** Returns a tool's definition as data; changed code behind the same definition shows at most in its `fingerprint`. */
function definitionOf(env: Env, tool: Tool): JsonValue {
  const protocol = tool.handoverProtocol === undefined ? undefined : env.protocols.get(tool.handoverProtocol);
  return [
    tool.name,
    tool.kind,
    tool.toolset,
    tool.description,
    tool.parameters,
    protocol?.contextParameters ?? null,
    tool.effect,
    tool.verify ?? null,
    tool.onUnknown ?? null,
    tool.endsFlow,
    tool.trust,
    tool.fingerprint ?? null,
  ];
}

/** Settings that cannot be read for the values of a request make no call either. */
function settingsOf(tool: Tool, request: JsonObject): JsonValue {
  try {
    return tool.settingsFor?.(request) ?? null;
  } catch {
    return 'unusable';
  }
}

/** The standing approvals that end under these profiles: their gate is another one, or gone. They stay ended when it comes back. */
export function revokedBy(env: Env, { standing }: RunContext): { readonly revoked?: readonly number[] } {
  const revoked = standing.filter(({ profile, gateId, capability }) => {
    const definition = gateDefinition(env.profiles.get(profile), gateId);
    return definition === undefined || capability?.gate !== hashOf(env, definition);
  });
  return revoked.length === 0 ? {} : { revoked: revoked.map(({ seq }) => seq) };
}
