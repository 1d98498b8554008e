import type { PromptView } from '../../src/inspect/turn/turn-record.ts';
import { lineCutter, type LineRange } from '../kit/line-ranges.ts';

/** A row of a prompt: a line of a span, a file, or a folded message. */
export interface PromptRow extends LineRange {
  /** Index of the span in the prompt. */
  readonly span: number;
  /** Index of the message that begins with this row, if any. */
  readonly message?: number;
  readonly isFirstOfSpan: boolean;
  readonly isFolded?: true;
}

/** Returns the rows of a prompt; only the first one of a folded message. */
export function promptRows({ spans, text }: PromptView, folded: ReadonlySet<number>): readonly PromptRow[] {
  const rows: PromptRow[] = [];
  const cut = lineCutter(text);
  let message: number | undefined;
  spans.forEach((span, index) => {
    const begins = span.messageIndex === message ? {} : { message: span.messageIndex };
    message = span.messageIndex;
    const [start, end] = span.range;
    const shared = { span: index, isFirstOfSpan: true } as const;
    if (folded.has(message)) {
      if ('message' in begins) rows.push({ start, end: start, ...shared, ...begins, isFolded: true });
      return;
    }
    if (start === end) rows.push({ start, end, ...shared, ...begins });
    cut(start, end).forEach((range, place) =>
      rows.push({ ...range, span: index, isFirstOfSpan: place === 0, ...(place === 0 ? begins : {}) }),
    );
  });
  return rows;
}

/** Returns the size of each message of a prompt, by its index. */
export function messageSizes({ spans }: PromptView): ReadonlyMap<number, { readonly role: string; readonly tokens: number }> {
  const sizes = new Map<number, { role: string; tokens: number }>();
  for (const { messageIndex, role, tokens } of spans) {
    const size = sizes.get(messageIndex);
    if (size === undefined) sizes.set(messageIndex, { role, tokens });
    else size.tokens += tokens;
  }
  return sizes;
}
