/** What an agent waits on that its profile asks in its place: it got nowhere, or came to a checkpoint. No tool asked it. */
export interface OwnQuestion {
  readonly prompt: string;
  /** Sequence number and wall time of the event that asked. */
  readonly seq: number;
  readonly since: number;
  /** The checkpoint it came to. */
  readonly checkpoint?: string;
}

/** What a person says at a checkpoint: the agent goes on, or ends with what there is. */
export const checkpointChoices = ['go on', 'end'] as const;

/** The id under which a person answers an agent's question; an agent has one at a time. */
export function questionId(agentId: string): string {
  return `ask_${agentId}`;
}
