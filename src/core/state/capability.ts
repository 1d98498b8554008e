import type { ContentHash } from '../ids.ts';

/**
 * The parts that an approval is bound to, as content hashes. The approval holds only while every part is the same as when the
 * person was asked.
 */
export interface CapabilityParts {
  /** The tool's definition: name, description, schema, effect, and whatever a profile or a server declares about it. */
  readonly tool: ContentHash;
  /** Settings of the tool's toolset with the values of the run's request, and whether its programs run in the sandbox; secrets excluded. */
  readonly settings: ContentHash;
  /** The gate that asks: scope, condition, verdict, message and expiry. */
  readonly gate: ContentHash;
  /** The arguments that the call runs with. */
  readonly args: ContentHash;
  /** Name and resolved text of the calling agent's profile. */
  readonly profile: ContentHash;
}

/** Name of a part that an approval is bound to. */
export type CapabilityPart = keyof CapabilityParts;

/** The parts that an approval is bound to, and one hash over all of them. */
export interface Capability extends CapabilityParts {
  /** Equal exactly when all parts are equal. */
  readonly fingerprint: ContentHash;
}

/** All parts, in the order in which messages list them. */
export const capabilityParts = ['tool', 'settings', 'gate', 'args', 'profile'] as const satisfies readonly CapabilityPart[];

/** Returns the parts that differ; all of them when no record of the approval exists, as in journals of earlier versions. */
export function changedParts(
  agreed: CapabilityParts | undefined,
  now: CapabilityParts,
  parts: readonly CapabilityPart[] = capabilityParts,
): readonly CapabilityPart[] {
  return parts.filter((part) => agreed?.[part] !== now[part]);
}

const partWords: Readonly<Record<CapabilityPart, string>> = {
  tool: 'the definition of the tool',
  settings: 'the settings of its toolset',
  gate: 'the gate',
  args: 'the arguments',
  profile: 'the profile',
};

/** Describes what has changed since a person approved a call. */
export function changedText(changed: readonly CapabilityPart[]): string {
  if (changed.length === capabilityParts.length) return 'the journal does not say what was asked about';
  const words = changed.map((part) => partWords[part]);
  const last = words.pop() ?? 'something';
  return words.length === 0 ? `${last} has changed` : `${words.join(', ')} and ${last} have changed`;
}
