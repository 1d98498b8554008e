import { compileExpression, type Expression } from './expression.ts';
import { toText } from './json-text.ts';
import { toFailure, type CompileResult, type ExpressionProblem } from './problem.ts';
import type { Quote } from './quote.ts';
import type { ExpressionRoots, Scope } from './roots.ts';
import { splitVariables, valueOfVariable } from './variables.ts';
import { MAX_SOURCE } from './limits.ts';
import { quotedEnd } from './scan.ts';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable part of a text. */
type Piece = Pick<Expression, 'evaluate' | 'print' | 'paths'>;

/** A compiled text with `{{ expression }}` parts; `\{{` is a literal `{{`. */
export interface Template {
  readonly source: string;
  /** True without expressions: it always renders the same. */
  readonly constant: boolean;
  /** True when it is exactly one expression, whose value may be of any type. */
  readonly single: boolean;
  /** Dotted paths that its expressions read. */
  readonly paths: readonly string[];
  /** Renders the text: null is empty, texts stay as they are, lists and maps are compact JSON; throws when an expression fails. */
  render(scope: Scope, quote?: Quote): string;
  /** Returns the value with its type when the template is exactly one expression, else the rendered text. */
  value(scope: Scope, quote?: Quote): unknown;
}

/** Renders a message for a person; returns its source when rendering fails, so that the person still learns what it is about. */
export function renderOrSource(template: Template, scope: Scope, quote: Quote | undefined): string {
  try {
    return template.render(scope, quote);
  } catch {
    return template.source;
  }
}

/**
 * Compiles a text with `{{ expression }}` parts, and with `${NAME:-default}` parts if an environment is given; offsets of
 * problems are relative to the whole text.
 */
export function compileTemplate(source: string, roots?: ExpressionRoots, environment?: Environment): CompileResult<Template> {
  const { parts, unclosed } = splitTemplate(source);
  const problems: ExpressionProblem[] = unclosed === undefined ? [] : [unclosed];
  const pieces: (string | Piece)[] = [];
  for (const part of parts) {
    if (part.kind === 'text') {
      if (environment === undefined) pieces.push(part.text);
      else pieces.push(...withVariables(part.text, environment));
      continue;
    }
    const compiled = compileExpression(part.source, roots);
    if (compiled.ok) pieces.push(compiled.value);
    else problems.push(...compiled.problems.map((problem) => shift(problem, part.start)));
  }
  return problems.length > 0 ? toFailure(problems) : { ok: true, value: toTemplate(source, pieces) };
}

/** Splits a text at its variables, which are looked up when it is read. */
function withVariables(text: string, environment: Environment): readonly (string | Piece)[] {
  return splitVariables(text).map((piece) => {
    if (typeof piece === 'string') return piece;
    const set = Object.hasOwn(environment, piece.name) ? environment[piece.name] : undefined;
    const evaluate = (scope: Scope): unknown => valueOfVariable(piece, set, scope);
    return { paths: [`request.${piece.name}`], evaluate, print: (scope) => toText(evaluate(scope)) };
  });
}

function toTemplate(source: string, pieces: readonly (string | Piece)[]): Template {
  const expressions = pieces.filter((piece) => typeof piece !== 'string');
  const [only] = pieces;
  const single = pieces.length === 1 && typeof only === 'object' ? only : undefined;
  const fixed = expressions.length === 0 ? pieces.join('') : undefined;
  const render = (scope: Scope, quote?: Quote): string => {
    if (fixed !== undefined) return fixed;
    let text = '';
    for (const piece of pieces) text += typeof piece === 'string' ? piece : piece.print(scope, quote);
    return text;
  };
  return {
    source,
    constant: fixed !== undefined,
    single: single !== undefined,
    paths: [...new Set(expressions.flatMap(({ paths }) => paths))],
    render,
    value: (scope, quote) => (single === undefined ? render(scope, quote) : single.evaluate(scope, quote)),
  };
}

function shift(problem: ExpressionProblem, offset: number): ExpressionProblem {
  return { ...problem, start: problem.start + offset, end: problem.end + offset };
}

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
function splitTemplate(source: string): SplitTemplate {
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
