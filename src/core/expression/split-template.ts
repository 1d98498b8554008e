import { MAX_SOURCE } from './limits.ts';
import type { ExpressionProblem } from './problem.ts';
import { quotedEnd } from './scan.ts';

/** A part of a template: literal text, or the source of an expression with its offset. */
type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'expression'; readonly source: string; readonly start: number };

/** A template's parts, and a `{{` without an end, if any. */
interface SplitTemplate {
  readonly parts: readonly TemplatePart[];
  readonly unclosed: ExpressionProblem | undefined;
}

const OPEN = '{{';
const CLOSE = '}}';

// Longer than any expression may be; keeps the search for the closing braces linear in the text.
const SEARCH = MAX_SOURCE * 2;

/** Splits a template at its `{{ … }}`; quotes and braces inside an expression do not end it, and `\{{` is a literal `{{`. */
export function splitTemplate(source: string): SplitTemplate {
  const parts: TemplatePart[] = [];
  let unclosed: ExpressionProblem | undefined;
  let text = '';
  let position = 0;
  for (let open = source.indexOf(OPEN); open >= 0; open = source.indexOf(OPEN, position)) {
    if (source[open - 1] === '\\' && open > position) {
      text += `${source.slice(position, open - 1)}${OPEN}`;
      position = open + OPEN.length;
      continue;
    }
    text += source.slice(position, open);
    const start = open + OPEN.length;
    const close = findClose(source, start);
    if (close === undefined) {
      unclosed = {
        message: 'the `{{` is never closed',
        start: open,
        end: start,
        hint: 'close the expression with `}}`, or write `\\{{` for a literal `{{`',
      };
      position = source.length;
      break;
    }
    if (text !== '') parts.push({ kind: 'text', text });
    text = '';
    parts.push({ kind: 'expression', source: source.slice(start, close), start });
    position = close + CLOSE.length;
  }
  text += source.slice(position);
  if (text !== '') parts.push({ kind: 'text', text });
  return { parts, unclosed };
}

function findClose(source: string, start: number): number | undefined {
  let depth = 0;
  let position = start;
  const limit = Math.min(source.length, start + SEARCH);
  while (position < limit) {
    const end = quotedEnd(source, position, limit);
    if (end !== undefined) {
      position = end;
      continue;
    }
    if (depth === 0 && source.startsWith(CLOSE, position)) return position;
    if (source[position] === '{') depth += 1;
    if (source[position] === '}') depth -= 1;
    position += 1;
  }
  // An open quote hides the braces; ending at the first pair lets the expression report the problem.
  const close = source.indexOf(CLOSE, start);
  return close < 0 ? undefined : close;
}
