import { compileExpression, type Expression } from './expression.ts';
import { toText } from './json-text.ts';
import { toFailure, type CompileResult, type ExpressionProblem } from './problem.ts';
import type { ExpressionRoots, Scope } from './roots.ts';
import { splitTemplate } from './split-template.ts';

/** A compiled text with `{{ expression }}` parts; `\{{` stands for a literal `{{`. */
export interface Template {
  readonly source: string;
  /** Whether it has no expression, so that it always renders the same. */
  readonly constant: boolean;
  /** Dotted paths that its expressions read. */
  readonly paths: readonly string[];
  /** The text: null is empty, texts stand as they are, lists and maps are compact JSON; throws when an expression fails. */
  render(scope: Scope): string;
  /** The value with its type when the template is exactly one expression, else the rendered text. */
  value(scope: Scope): unknown;
}

/** Compiles a text with `{{ expression }}` parts; offsets of problems are relative to the whole text. */
export function compileTemplate(source: string, roots?: ExpressionRoots): CompileResult<Template> {
  const { parts, unclosed } = splitTemplate(source);
  const problems: ExpressionProblem[] = unclosed === undefined ? [] : [unclosed];
  const pieces: (string | Expression)[] = [];
  for (const part of parts) {
    if (part.kind === 'text') {
      pieces.push(part.text);
      continue;
    }
    const compiled = compileExpression(part.source, roots);
    if (compiled.ok) pieces.push(compiled.value);
    else problems.push(...compiled.problems.map((problem) => shift(problem, part.start)));
  }
  return problems.length > 0 ? toFailure(problems) : { ok: true, value: toTemplate(source, pieces) };
}

function toTemplate(source: string, pieces: readonly (string | Expression)[]): Template {
  const expressions = pieces.filter((piece) => typeof piece !== 'string');
  const [only] = pieces;
  const single = pieces.length === 1 && typeof only === 'object' ? only : undefined;
  const fixed = expressions.length === 0 ? pieces.join('') : undefined;
  const render = (scope: Scope): string => {
    if (fixed !== undefined) return fixed;
    let text = '';
    for (const piece of pieces) text += typeof piece === 'string' ? piece : toText(piece.evaluate(scope));
    return text;
  };
  return {
    source,
    constant: fixed !== undefined,
    paths: [...new Set(expressions.flatMap(({ paths }) => paths))],
    render,
    value: (scope) => (single === undefined ? render(scope) : single.evaluate(scope)),
  };
}

function shift(problem: ExpressionProblem, offset: number): ExpressionProblem {
  return { ...problem, start: problem.start + offset, end: problem.end + offset };
}
