/** Question that the profile asks on behalf of its agent, at an escalation or a checkpoint. No tool call belongs to it. */
export interface OwnQuestion {
  readonly prompt: string;
  /** Sequence number and wall time of the asking event. */
  readonly seq: number;
  readonly since: number;
  /** The checkpoint that was reached. */
  readonly checkpoint?: string;
}

/** Answers at a checkpoint: the agent goes on, or ends with its results so far. */
export const checkpointChoices = ['go on', 'end'] as const;

/** Returns the id for answering an agent's question; an agent has at most one at a time. */
export function questionId(agentId: string): string {
  return `ask_${agentId}`;
}
