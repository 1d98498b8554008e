import type { CompiledProfile } from '../../../src/core/profile.ts';

/** A profile that differs from a plain one in the given fields only. */
export function profile(name: string, changes: Partial<CompiledProfile> = {}): CompiledProfile {
  return {
    name,
    type: 'associate',
    description: '',
    rev: 1,
    isActive: true,
    isDeleted: false,
    availableForStaffing: true,
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
    stagnation: [],
    toolChoice: 'auto',
    contextPolicy: { window: 0, truncate: {}, raw: {} },
    checkDeliverables: (value) => ({ ok: true, args: value }),
    resolved: {},
    origins: new Map(),
    source: { file: 'test.yaml', line: 1, column: 1 },
    ...changes,
  };
}
