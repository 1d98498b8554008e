/**
 * A part of a turn: waiting in the inbox, preparing, calling the model, judging the reply, running tools, or waiting for a person
 * while no other call of the turn runs. A turn may have several parts of the last two kinds. Open parts have no end. Judging is one step of the engine: it takes what lies between the model's last word and the decision on record,
 * and that is mostly the time the reply waited for its place among what else came in.
 */
export interface TimelinePart {
  readonly kind: 'wait' | 'prep' | 'exec' | 'post' | 'tools' | 'person';
  readonly from: number;
  readonly to: number | undefined;
}
