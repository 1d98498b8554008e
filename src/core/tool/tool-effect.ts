/** Safety of repeating a tool call, for recovery; `unsafe` is the default. */
export type ToolEffect = 'pure' | 'idempotent' | 'verifiable' | 'unsafe';
