/**
 * Reasons for a turn that does not begin: its agent waits for a summary of its history, was stopped or asked a person by its
 * escalation, reached a checkpoint, or has no limit left for a last turn.
 */
export type NotBegun = 'compacting' | 'escalated' | 'at_checkpoint' | 'limit_reached';
