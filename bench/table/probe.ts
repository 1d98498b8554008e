import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Engine, EngineOptions } from '../../src/index.ts';
import { benchOptions } from '../bench-options.ts';

/** Figures of one measurement, by name. */
export type Figures = Readonly<Record<string, number>>;

/** Opens an engine of the measured checkout. */
export type OpenEngine = (
  models: Readonly<Record<string, LanguageModelV4>>,
  store: string,
  effect?: 'pure' | 'unsafe',
) => Promise<Engine>;

/** One measurement, made in a process of its own: by the bare loop, if it can do the same work, and by the engine. */
export interface Probe {
  /** `folder`: an empty folder for files. */
  readonly floor?: (folder: string) => Promise<Figures>;
  readonly engine: (open: OpenEngine, folder: string) => Promise<Figures>;
}

/** Returns `createEngine` of a built checkout: of its `dist/`, as users run it. */
export async function creatorOf(checkout: string): Promise<(options: EngineOptions) => Promise<Engine>> {
  const { createEngine } = (await import(`${checkout}/dist/index.js`)) as {
    readonly createEngine: (options: EngineOptions) => Promise<Engine>;
  };
  return createEngine;
}

/** Returns a function that opens engines of a built checkout. */
export async function engineOf(checkout: string): Promise<OpenEngine> {
  const createEngine = await creatorOf(checkout);
  return (models, store, effect) => createEngine(benchOptions(models, store, effect));
}
