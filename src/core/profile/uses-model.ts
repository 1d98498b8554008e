import { mayAskModel } from './planner.ts';
import type { CompiledProfile } from './profile.ts';

/** True when agents of a profile call a model; false when a function or a planner answers every turn. */
export function usesModel({ functionNode, planner }: Pick<CompiledProfile, 'functionNode' | 'planner'>): boolean {
  return functionNode === undefined && (planner === undefined || mayAskModel(planner));
}
