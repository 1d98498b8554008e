import type { LanguageModelV4 } from '@ai-sdk/provider';
import { createEngine } from '../src/index.ts';
import { benchOptions } from './bench-options.ts';

/** Creates an engine of this checkout's sources over one journal. */
export function benchEngine(models: Readonly<Record<string, LanguageModelV4>>, store: string): ReturnType<typeof createEngine> {
  return createEngine(benchOptions(models, store));
}
