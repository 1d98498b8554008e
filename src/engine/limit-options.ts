import { CadreError } from '../core/error.ts';
import type { Limits } from '../core/profile.ts';

/** Limits as callers write them: full names, or the short words of profiles. */
export type LimitOptions = Partial<Limits> & {
  readonly turns?: number;
  readonly toolCalls?: number;
  readonly tokens?: number;
  readonly costUsd?: number;
  readonly wallMs?: number;
  readonly depth?: number;
  readonly children?: number;
  readonly live?: number;
  readonly total?: number;
};

const names: Readonly<Record<string, keyof Limits>> = {
  turns: 'maxTurns',
  toolCalls: 'maxToolCalls',
  tokens: 'maxTokens',
  costUsd: 'maxCostUsd',
  wallMs: 'maxWallMs',
  depth: 'maxDepth',
  children: 'maxChildren',
  live: 'maxLive',
  total: 'maxTotal',
  maxTurns: 'maxTurns',
  maxToolCalls: 'maxToolCalls',
  maxTokens: 'maxTokens',
  maxCostUsd: 'maxCostUsd',
  maxWallMs: 'maxWallMs',
  maxDepth: 'maxDepth',
  maxChildren: 'maxChildren',
  maxLive: 'maxLive',
  maxTotal: 'maxTotal',
  softAt: 'softAt',
};

/** Checks limits and gives them their full names. Unknown names and values that are no positive numbers are refused. */
export function limitsOf(options: LimitOptions): Partial<Limits> {
  const limits: Partial<Record<keyof Limits, number>> = {};
  for (const [key, value] of Object.entries(options)) {
    const name = Object.hasOwn(names, key) ? names[key] : undefined;
    if (name === undefined)
      throw new CadreError('OPTION_INVALID', `there is no limit '${key}'; there are: ${Object.keys(names).join(', ')}`);
    if (typeof value !== 'number' || Number.isNaN(value) || value <= 0)
      throw new CadreError('OPTION_INVALID', `limit '${key}' must be a number above 0, not ${String(value)}`);
    limits[name] = value;
  }
  return limits;
}
