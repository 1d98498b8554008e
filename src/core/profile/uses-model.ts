import { mayAskModel } from './planner.ts';
import type { CompiledProfile } from './profile.ts';

/** Tells whether agents of a profile never call a model: a function or a planner answers in its place. */
export function answersItself({ functionNode, planner }: Pick<CompiledProfile, 'functionNode' | 'planner'>): boolean {
  return functionNode !== undefined || (planner !== undefined && !mayAskModel(planner));
}
