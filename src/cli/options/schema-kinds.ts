/** What there are schemas of. */
export const schemaKinds = ['profile', 'llm_config', 'handover_protocol', 'toolset', 'team', 'script'] as const;

/** A kind of file that a schema describes. */
export type SchemaKind = (typeof schemaKinds)[number];
