import type { Limits } from './profile.ts';

/** Default limits of one agent. Every loop has a bound. */
export const defaultAgentLimits: Limits = {
  maxTurns: 50,
  maxToolCalls: 200,
  maxTokens: 2_000_000,
  maxCostUsd: 5,
  maxWallMs: 3_600_000,
  maxDepth: 4,
  maxChildren: 64,
  maxLive: 64,
  maxTotal: 256,
  softAt: 0.8,
};

/** Default limits of a whole run. */
export const defaultRunLimits: Limits = {
  maxTurns: 1_000,
  maxToolCalls: 5_000,
  maxTokens: 20_000_000,
  maxCostUsd: 50,
  maxWallMs: 4 * 3_600_000,
  maxDepth: 4,
  maxChildren: 64,
  maxLive: 64,
  maxTotal: 256,
  softAt: 0.8,
};
