/**
 * Conditions: one CEL expression, compiled once and evaluated per turn.
 *
 * Owns: the meaning of the language on plain data. Does not own: the grammar (cel-js parses) nor the effect of a failed
 * condition (the caller counts it as false and records the failure).
 *
 * 1. Reads see own data fields only; missing fields and functions in the data are null. Only built-in functions are ever
 *    called.
 * 2. Null is the empty text, list or map where one is wanted. Arithmetic and order on null fail: `default(flags.n, 0) > 2`.
 * 3. `!`, `&&`, `||` and `?:` take any value by truthiness; `==` between kinds is false, never a failure.
 * 4. Numbers are JavaScript numbers. `/` between literals and sizes is CEL's whole division, between data it is exact.
 * 5. Bounds: source, nesting and nodes before and while parsing, steps and text length while evaluating. A spent budget always
 *    fails.
 * 6. An evaluation changes nothing: not the scope, not the expression.
 */
import { compileNode } from './compile/compile-node.ts';
import type { Compiler } from './compile/compiler.ts';
import { isTruthy, toPlainData } from './data.ts';
import { Evaluation } from './evaluation.ts';
import { toText } from './json-text.ts';
import { parseSource } from './parse.ts';
import { toFailure, type CompileResult } from './problem.ts';
import type { Quote } from './quote.ts';
import type { ExpressionRoots, Scope } from './roots.ts';

export type { CompileResult, ExpressionProblem } from './problem.ts';
export type { ExpressionRoots, RootDeclaration, Scope } from './roots.ts';

/** A compiled expression; stateless, so it can be shared. */
export interface Expression {
  readonly source: string;
  /** Dotted paths the expression reads, as `readPath` takes them, for example `flags.n`. */
  readonly paths: readonly string[];
  /** Returns the value as plain data, possibly sharing parts of the scope; throws `CONDITION_FAILED` on failure. `quote` observes its reads. */
  evaluate(scope: Scope, quote?: Quote): unknown;
  /** Returns the value as text: null is empty, texts stay as they are, lists and maps are compact JSON. Throws like `evaluate`. */
  print(scope: Scope, quote?: Quote): string;
  /** Returns the value's truthiness: null, false, 0, '', [] and {} are false; throws like `evaluate`. */
  test(scope: Scope): boolean;
}

/** Compiles an expression, checking its names against the roots if given; reports every problem, not only the first. */
export function compileExpression(source: string, roots?: ExpressionRoots): CompileResult<Expression> {
  const parsed = parseSource(source);
  if (!parsed.ok) return parsed;
  const compiler: Compiler = {
    source,
    roots,
    problems: [],
    paths: new Set(),
    slotCount: 0,
    compile: (node, locals) => compileNode(compiler, node, locals),
  };
  const { run } = compiler.compile(parsed.value, undefined);
  if (compiler.problems.length > 0) return toFailure(compiler.problems);
  const { slotCount } = compiler;
  return {
    ok: true,
    value: {
      source,
      paths: [...compiler.paths],
      evaluate: (scope, quote) => {
        const watch = quote?.(scope, source);
        const value = run(new Evaluation(watch?.scope ?? scope, slotCount));
        return toPlainData(watch === undefined ? value : watch.data(value));
      },
      print: (scope, quote) => {
        const watch = quote?.(scope, source);
        const value = run(new Evaluation(watch?.scope ?? scope, slotCount));
        return watch === undefined ? toText(toPlainData(value)) : watch.text(value);
      },
      test: (scope) => isTruthy(run(new Evaluation(scope, slotCount))),
    },
  };
}
