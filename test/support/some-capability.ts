import type { ContentHash } from '../../src/core/ids.ts';
import type { Capability } from '../../src/core/state/capability.ts';

const hash = 'abcdefghijklmnopqrstuv' as ContentHash;

/** A capability for tests in which what it is bound to does not matter. */
export const someCapability: Capability = {
  fingerprint: hash,
  tool: hash,
  settings: hash,
  gate: hash,
  args: hash,
  profile: hash,
};
