import type { Clock } from '../../core/clock.ts';
import type { LlmConfig } from '../../core/model/llm-config.ts';
import type { ModelResolver } from '../providers/model-resolver.ts';
import type { ModelTraffic } from '../adapter/model-traffic.ts';

/** Dependencies of a model call. */
export interface ModelCallTools {
  readonly resolver: ModelResolver;
  readonly clock: Clock;
  readonly random: () => number;
  readonly traffic: ModelTraffic;
  readonly llmConfigs: (name: string, from: LlmConfig) => LlmConfig | undefined;
}
