/** Kinds of files that have a schema. */
export const schemaKinds = ['profile', 'llm_config', 'handover_protocol', 'toolset', 'team', 'script', 'test', 'eval'] as const;

/** Kind of file described by a schema. */
export type SchemaKind = (typeof schemaKinds)[number];
