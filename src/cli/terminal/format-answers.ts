import { formatWhy } from '../../inspect/format/format-why.ts';
import { countText } from '../../inspect/format/text/quantity-text.ts';
import type { FormatOptions } from '../../inspect/format/text/text-style.ts';
import type { WhyAnswer } from '../../inspect/why/why.ts';

/** Renders the provenance of a text; without `full`, occurrences with the same origin are shown once. */
export function formatAnswers(answers: readonly WhyAnswer[], format: FormatOptions = {}): string {
  if (format.full === true) return formatWhy(answers, format);
  const seen = new Set<string>();
  const shown = answers.filter((answer) => {
    const origin = JSON.stringify([answer.where, answer.pieces.map((piece) => piece.origin)]);
    if (seen.has(origin)) return false;
    seen.add(origin);
    return true;
  });
  const left = answers.length - shown.length;
  const more = left === 0 ? '' : `\n${format.style?.dim(moreText(left)) ?? moreText(left)}\n`;
  return `${formatWhy(shown, format)}${more}`;
}

function moreText(left: number): string {
  return `… and ${countText(left, 'more place')} with the same origin`;
}
