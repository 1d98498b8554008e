import type { ContentHash } from '../ids.ts';
import type { JsonValue } from '../json.ts';

/** Question that the profile asks on behalf of its agent, at an escalation or a checkpoint. No tool call belongs to it. */
export interface OwnQuestion {
  readonly prompt: string;
  /** Sequence number and wall time of the asking event, and the hash of what it shows. */
  readonly seq: number;
  readonly since: number;
  readonly fingerprint: ContentHash;
  /** The checkpoint that was reached. */
  readonly checkpoint?: string | undefined;
  /** True once it was answered: the answer waits in the inbox for the next turn. */
  readonly isAnswered?: boolean;
}

/** Answers at a checkpoint: the agent goes on, or ends with its results so far. */
export const checkpointChoices = ['go on', 'end'] as const;

const escalationWords = 'A person was asked what to do, since you were getting nowhere, and answers:\n\n';

/** Returns the message in which an agent reads a person's answer after an escalation. */
export function toEscalationAnswer(value: JsonValue): string {
  return `${escalationWords}${typeof value === 'string' ? value : JSON.stringify(value)}`;
}

/** Returns the person's answer in the payload of a message. */
export function answerInMessage(payload: JsonValue): JsonValue {
  return typeof payload === 'string' && payload.startsWith(escalationWords) ? payload.slice(escalationWords.length) : payload;
}
