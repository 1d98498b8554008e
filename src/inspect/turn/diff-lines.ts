import { align } from './align.ts';

/** One line of a text in two versions. */
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Compares two texts line by line. */
export function diffLines(a: string, b: string): readonly DiffLine[] {
  return align(a.split('\n'), b.split('\n'), (line) => line).map((step) =>
    step.kind === 'removed' ? { kind: 'removed', text: step.a } : { kind: step.kind, text: step.b },
  );
}
