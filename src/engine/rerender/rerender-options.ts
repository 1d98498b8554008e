import type { EngineOptions } from '../engine-options.ts';

/** Options of `engine.rerender`. */
export interface RerenderOptions {
  /** The edited profiles: a folder, a list of folders, or files. Those that the engine was created with when absent. */
  readonly profiles?: EngineOptions['profiles'];
  /** True to add the whole prompts, before and after, to each turn whose prompt differs. */
  readonly prompts?: boolean;
}
