/**
 * A part of a turn: waiting in the inbox, prep, exec, post, running tools, or waiting for a person while no other call of the turn
 * runs. A turn may have several parts of the last two kinds. Open parts have no end. Post spans the time from the end of the model
 * call to the recorded decision, most of which the reply spends queued behind other input.
 */
export interface TimelinePart {
  readonly kind: 'wait' | 'prep' | 'exec' | 'post' | 'tools' | 'person';
  readonly from: number;
  readonly to: number | undefined;
}
