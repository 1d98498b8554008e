import type { Piece } from './piece.ts';
import type { PythonNode } from './syntax.ts';

/** Time of evaluation of a condition, which determines the last message. */
export type Phase = 'before_reply' | 'after_reply';

/** Difference in meaning, at a place in the condition. */
export interface Note {
  readonly message: string;
  readonly start: number;
}

/** State of converting one condition. */
export interface Converter {
  readonly phase: Phase;
  /** State that observers of the tree set, as first segments of paths. */
  readonly ownState: ReadonlySet<string>;
  readonly notes: Note[];
  /** Loop variables, with their replacements. */
  readonly locals: ReadonlyMap<string, Piece>;
  /** Converts an expression to its value. */
  readonly convert: (node: PythonNode, converter: Converter) => Piece;
  /** Converts an expression in a final place: true when it is truthy and nothing raises. */
  readonly convertFinal: (node: PythonNode, converter: Converter) => Piece;
}

/** Adds a note about a difference in meaning. */
export function note(converter: Converter, at: { readonly start: number }, message: string): void {
  converter.notes.push({ message, start: at.start });
}

/** Returns the converter for the inside of a loop. */
export function withLocals(converter: Converter, names: Readonly<Record<string, Piece>>): Converter {
  return { ...converter, locals: new Map([...converter.locals, ...Object.entries(names)]) };
}
