import type { SourceRef } from '../../core/profile/source-ref.ts';

/** Text of one file, which converts offsets to positions. */
export class SourceText {
  readonly path: string;
  readonly text: string;
  #lineStarts: readonly number[] | undefined;

  constructor(path: string, text: string) {
    this.path = path;
    this.text = text;
  }

  /** Returns the line and column (both from 1, in UTF-16 units) of an offset. */
  refAt(offset: number): SourceRef {
    const starts = (this.#lineStarts ??= lineStartsOf(this.text));
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { file: this.path, line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  }
}

function lineStartsOf(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
