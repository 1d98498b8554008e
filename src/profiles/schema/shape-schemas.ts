import type { JsonSchema } from '../../core/json.ts';
import { evalSchema } from './eval-schema.ts';
import { handoverProtocolSchema } from './handover-protocol-schema.ts';
import { llmConfigSchema } from './llm-config-schema.ts';
import { pricesSchema } from './prices-schema.ts';
import { profileSchema } from './profile-schema.ts';
import { testSchema } from './test-schema.ts';
import { teamSchema } from './team-schema.ts';
import { toolsetSchema } from './toolset-schema.ts';

/** Kinds of files whose shape a schema describes. */
export type ShapeKind = 'profile' | 'llm_config' | 'handover_protocol' | 'toolset' | 'team' | 'prices' | 'test' | 'eval';

/** Schemas of the shapes of files; `scripts/build-bundle.mjs` compiles them for `built-validators.ts`. */
export const shapeSchemas: Readonly<Record<ShapeKind, JsonSchema>> = {
  profile: profileSchema,
  llm_config: llmConfigSchema,
  handover_protocol: handoverProtocolSchema,
  toolset: toolsetSchema,
  team: teamSchema,
  prices: pricesSchema,
  test: testSchema,
  eval: evalSchema,
};

/** Options of their compiler. Optimizing the generated code costs more than it saves: a load validates a few dozen files. */
export const shapeOptions = {
  strict: false,
  allErrors: true,
  verbose: true,
  ownProperties: true,
  validateSchema: false,
  logger: false,
  inlineRefs: false,
  code: { optimize: false },
} as const;
