import type { CompiledProfile } from '../../src/core/profile/profile.ts';

/** A compiled profile that says nothing, except for the given fields. */
export function plainProfile(name: string, changes: Partial<CompiledProfile> = {}): CompiledProfile {
  return {
    name,
    type: 'associate',
    description: '',
    rev: 1,
    isActive: true,
    isDeleted: false,
    availableForStaffing: true,
    callableProfiles: [],
    llmConfigRef: 'default',
    segments: [],
    textDefinitions: new Map(),
    allowedToolsets: [],
    allowedTools: [],
    preTurnObservers: [],
    postTurnObservers: [],
    flowDecider: [],
    strategies: new Map(),
    limits: {},
    toolGates: [],
    checkpoints: [],
    stagnation: [],
    toolChoice: 'auto',
    contextPolicy: { window: 0, truncate: {}, raw: {} },
    checkDeliverables: (args) => ({ ok: true, args }),
    resolved: {},
    origins: new Map(),
    source: { file: 'profile.yaml', line: 1, column: 1 },
    ...changes,
  };
}
