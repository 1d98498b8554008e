import type { ModelDelta } from '../../core/model/model.ts';
import type { MergedReply } from './live-replies.ts';

/** Part of a reply that a client has been sent. */
export interface SentReply {
  readonly attempt: number;
  readonly text: string;
  readonly reasoning: string;
}

/** Next part to send: more of the reply, or all of it when what was sent is no longer valid. */
export interface ReplyStep {
  /** True when what was sent must be taken back first. */
  readonly startsOver: boolean;
  readonly reasoning: string;
  readonly text: string;
  /** The sent part of the reply after this step. */
  readonly sent: SentReply;
}

/** Nothing sent yet. */
export const nothingSent: SentReply = { attempt: 0, text: '', reasoning: '' };

/** Returns the step for a delta: one of a later attempt takes back an earlier attempt's text. */
export function stepForDelta(sent: SentReply, { attempt, kind, text }: ModelDelta): ReplyStep | undefined {
  if (attempt < sent.attempt || kind === 'tool-input' || text === '') return undefined;
  const before = attempt === sent.attempt ? sent : { ...nothingSent, attempt };
  const piece = { text: kind === 'text' ? text : '', reasoning: kind === 'reasoning' ? text : '' };
  return {
    ...piece,
    startsOver: attempt !== sent.attempt && hasSent(sent),
    sent: { attempt, text: before.text + piece.text, reasoning: before.reasoning + piece.reasoning },
  };
}

/** Returns the step to the whole reply so far: its rest, or all of it when it does not begin with what was sent. */
export function stepForReply(
  sent: SentReply,
  whole: Pick<MergedReply, 'text' | 'reasoning'> & { readonly attempt?: number },
): ReplyStep {
  const { text, reasoning, attempt = sent.attempt } = whole;
  const isContinued = text.startsWith(sent.text) && reasoning.startsWith(sent.reasoning);
  return {
    startsOver: !isContinued,
    reasoning: isContinued ? reasoning.slice(sent.reasoning.length) : reasoning,
    text: isContinued ? text.slice(sent.text.length) : text,
    sent: { attempt, text, reasoning },
  };
}

/** True when anything was sent. */
export function hasSent({ text, reasoning }: SentReply): boolean {
  return text !== '' || reasoning !== '';
}
