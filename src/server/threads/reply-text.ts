import type { ModelDelta } from '../../core/model/model.ts';
import type { ReplySoFar } from './live-replies.ts';

/** Part of a reply that a client has been sent. */
export interface ToldReply {
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
  readonly told: ToldReply;
}

/** Nothing sent yet. */
export const untold: ToldReply = { attempt: 0, text: '', reasoning: '' };

/** Returns the step for a delta: one of a later attempt takes back an earlier attempt's text. */
export function tellPiece(told: ToldReply, { attempt, kind, text }: ModelDelta): ReplyStep | undefined {
  if (attempt < told.attempt || kind === 'tool-input' || text === '') return undefined;
  const before = attempt === told.attempt ? told : { ...untold, attempt };
  const piece = { text: kind === 'text' ? text : '', reasoning: kind === 'reasoning' ? text : '' };
  return {
    ...piece,
    startsOver: attempt !== told.attempt && hasTold(told),
    told: { attempt, text: before.text + piece.text, reasoning: before.reasoning + piece.reasoning },
  };
}

/** Returns the step to the whole reply so far: its rest, or all of it when it does not begin with what was sent. */
export function tellWhole(
  told: ToldReply,
  whole: Pick<ReplySoFar, 'text' | 'reasoning'> & { readonly attempt?: number },
): ReplyStep {
  const { text, reasoning, attempt = told.attempt } = whole;
  const goesOn = text.startsWith(told.text) && reasoning.startsWith(told.reasoning);
  return {
    startsOver: !goesOn,
    reasoning: goesOn ? reasoning.slice(told.reasoning.length) : reasoning,
    text: goesOn ? text.slice(told.text.length) : text,
    told: { attempt, text, reasoning },
  };
}

/** True when anything was sent. */
export function hasTold({ text, reasoning }: ToldReply): boolean {
  return text !== '' || reasoning !== '';
}
