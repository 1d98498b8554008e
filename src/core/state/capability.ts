import type { ContentHash } from '../ids.ts';

/**
 * What an approval is bound to, each part as a content hash. A call may run on an approval only as long as all parts are
 * what they were when a person was asked.
 */
export interface CapabilityParts {
  /** The definition of the tool: name, description, schema, effect and what else a profile or a server says of it. */
  readonly tool: ContentHash;
  /** The settings of the tool's toolset with the values of the run's request, and whether its programs run in the sandbox. Secrets are left out. */
  readonly settings: ContentHash;
  /** The gate that asks: its scope, condition, verdict, words and expiry. */
  readonly gate: ContentHash;
  /** The arguments the call runs with. */
  readonly args: ContentHash;
  /** The name and the resolved text of the profile of the agent that called. */
  readonly profile: ContentHash;
}

/** One thing an approval is bound to. */
export type CapabilityPart = keyof CapabilityParts;

/** What an approval is bound to, and one hash over all of it. */
export interface Capability extends CapabilityParts {
  /** Equal exactly when all parts are. */
  readonly fingerprint: ContentHash;
}

/** All parts, in the order in which they are named to people. */
export const capabilityParts = ['tool', 'settings', 'gate', 'args', 'profile'] as const satisfies readonly CapabilityPart[];

/** The parts that differ; all of them when it is not on record what was agreed to, as in journals of earlier versions. */
export function changedParts(
  agreed: CapabilityParts | undefined,
  now: CapabilityParts,
  parts: readonly CapabilityPart[] = capabilityParts,
): readonly CapabilityPart[] {
  return parts.filter((part) => agreed?.[part] !== now[part]);
}
