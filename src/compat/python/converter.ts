import type { Piece } from './piece.ts';
import type { PythonNode } from './syntax.ts';

/** When a condition is asked, which decides what the last message is. */
export type Phase = 'before_reply' | 'after_reply';

/** Something that means another thing here, at a place of the condition. */
export interface Note {
  readonly message: string;
  readonly start: number;
}

/** What converting one condition knows and collects. */
export interface Converter {
  readonly phase: Phase;
  /** State that observers of the tree set themselves, as first names of paths. */
  readonly ownState: ReadonlySet<string>;
  readonly notes: Note[];
  /** Loop variables, with what stands for them. */
  readonly locals: ReadonlyMap<string, Piece>;
  /** The value of an expression. */
  readonly convert: (node: PythonNode, converter: Converter) => Piece;
  /** Whether an expression holds, for final places: truthy, and nothing raised. */
  readonly convertFinal: (node: PythonNode, converter: Converter) => Piece;
}

/** Notes that something means another thing here. */
export function note(converter: Converter, at: { readonly start: number }, message: string): void {
  converter.notes.push({ message, start: at.start });
}

/** A converter inside a loop. */
export function withLocals(converter: Converter, names: Readonly<Record<string, Piece>>): Converter {
  return { ...converter, locals: new Map([...converter.locals, ...Object.entries(names)]) };
}
