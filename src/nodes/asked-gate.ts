import type { Tool } from '../core/tool.ts';

/**
 * The id under which a gate asks about a call: with the fingerprint of a tool whose server may change it, so that what a
 * person allowed, for one call or for good, is the tool as it was then (FAULTS P2).
 */
export function askedGateId(gateId: string, tool: Tool): string {
  return tool.fingerprint === undefined ? gateId : `${gateId}@${tool.fingerprint}`;
}

/** Tells whether a tool is no longer the one a person was asked about under this id. */
export function hasChangedSince(askedId: string, tool: Tool | undefined): boolean {
  return tool?.fingerprint !== undefined && !askedId.endsWith(`@${tool.fingerprint}`);
}
