import type { Limits, ModuleLimits, ProfileLimits } from '../../core/profile/profile.ts';
import { childOf, toPlain, type MapNode } from '../yaml/source-node.ts';
import { toMilliseconds } from './configs/duration.ts';
import { mapNode, readNumber, textNode } from './read-node.ts';

/** Compiles the limits of a profile. */
export function compileLimits(profile: MapNode): ProfileLimits {
  const node = mapNode(profile, 'limits');
  if (node === undefined) return {};
  const perModule = mapNode(node, 'per_module');
  const unknownCost = textNode(node, 'on_unknown_cost')?.value;
  return {
    ...usageLimits(node),
    ...withoutUndefined({
      maxDepth: readNumber(node, 'max_depth'),
      maxChildren: readNumber(node, 'max_children'),
      maxLive: readNumber(node, 'max_live'),
      maxTotal: readNumber(node, 'max_total'),
      softAt: readNumber(node, 'soft_at'),
    }),
    ...(perModule === undefined ? {} : { perModule: usageLimits(perModule) }),
    ...(unknownCost === 'refuse' || unknownCost === 'warn' ? { onUnknownCost: unknownCost } : {}),
  };
}

/** Reads the usage limits that agents, work modules and runs of evals share. */
export function usageLimits(node: MapNode): ModuleLimits {
  const wall = childOf(node, 'max_wall_seconds');
  return withoutUndefined({
    maxTurns: readNumber(node, 'max_turns'),
    maxToolCalls: readNumber(node, 'max_tool_calls'),
    maxTokens: readNumber(node, 'max_tokens'),
    maxCostUsd: readNumber(node, 'max_cost_usd'),
    maxWallMs: wall === undefined ? undefined : toMilliseconds(toPlain(wall)),
  });
}

/** Returns the fields that have a value. */
function withoutUndefined(limits: { readonly [Key in keyof Limits]?: number | undefined }): Partial<Limits> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}
