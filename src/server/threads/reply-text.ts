import type { ModelDelta } from '../../core/model/model.ts';
import type { ReplySoFar } from './live-replies.ts';

/** What has been told of a reply. */
export interface ToldReply {
  readonly attempt: number;
  readonly text: string;
  readonly reasoning: string;
}

/** What is to be told next: more of the reply, or all of it anew because what was told does not hold any more. */
export interface ReplyStep {
  /** What was told is to be taken back first. */
  readonly startsOver: boolean;
  readonly reasoning: string;
  readonly text: string;
  /** What has been told once this is. */
  readonly told: ToldReply;
}

/** Nothing has been told yet. */
export const untold: ToldReply = { attempt: 0, text: '', reasoning: '' };

/** A piece of a reply: pieces of a later attempt take back what an earlier one said. */
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

/** A reply as it stands: what is missing is told; all of it, when what was told is not how it begins. */
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

/** Whether anything was told. */
export function hasTold({ text, reasoning }: ToldReply): boolean {
  return text !== '' || reasoning !== '';
}
