import { failure, type Evaluation, type Site } from '../evaluation.ts';
import type { ExpressionProblem } from '../problem.ts';
import type { SyntaxNode } from '../parse.ts';
import type { ExpressionRoots } from '../roots.ts';

/** Type known before evaluation; `int` is a number known to be whole. */
export type StaticType = 'any' | 'null' | 'bool' | 'int' | 'number' | 'string' | 'list' | 'map';

/** Computes a node's value in one evaluation. */
export type Run = (evaluation: Evaluation) => unknown;

/** A compiled node. */
export interface Compiled {
  readonly run: Run;
  readonly type: StaticType;
  /** Text of the read that the value comes from, when it is below a `required` root: used as a value, null fails. */
  readonly required?: string | undefined;
}

/** Loop variables in scope, innermost first. */
export interface Locals {
  readonly name: string;
  readonly slot: number;
  /** Set when its values come from below a `required` root. */
  readonly required?: string | undefined;
  readonly outer: Locals | undefined;
}

/** Shared state of the compiler's parts while they compile one expression. */
export interface Compiler {
  readonly source: string;
  /** Undefined when no roots are declared: then every root is allowed. */
  readonly roots: ExpressionRoots | undefined;
  readonly problems: ExpressionProblem[];
  readonly paths: Set<string>;
  /** Most loop variables in scope together, so far. */
  slotCount: number;
  compile(node: SyntaxNode, locals: Locals | undefined): Compiled;
}

/** Placeholder for a node with a problem, so that checking continues. */
export const broken: Compiled = { run: () => null, type: 'any' };

/** Reports a problem at a range and returns the placeholder. */
export function report(
  compiler: Compiler,
  range: { readonly start: number; readonly end: number },
  message: string,
  hint?: string,
): Compiled {
  compiler.problems.push({ message, start: range.start, end: range.end, ...(hint === undefined ? {} : { hint }) });
  return broken;
}

/** Returns the place of a node, for messages at run time. */
export function siteOf(compiler: Compiler, node: SyntaxNode): Site {
  return { source: compiler.source, start: node.start, end: node.end };
}

/** Returns the run of a node whose value is needed: fails when the value is missing and its root is `required`. */
export function valueRun(compiler: Compiler, { run, required }: Compiled, node: SyntaxNode): Run {
  if (required === undefined) return run;
  const site = siteOf(compiler, node);
  return (evaluation) => {
    const value = run(evaluation);
    if (value !== null && value !== undefined) return value;
    throw failure(`\`${required}\` is missing; write default(${required}, …), or ${required} != null && …`, site);
  };
}

/** Returns the loop variable of a name. */
export function findLocal(locals: Locals | undefined, name: string): Locals | undefined {
  let local = locals;
  while (local !== undefined && local.name !== name) local = local.outer;
  return local;
}

/** True when a static type may hold a value of one of the wanted types. */
export function mayBe(type: StaticType, ...wanted: readonly StaticType[]): boolean {
  return type === 'any' || wanted.includes(type) || (type === 'int' && wanted.includes('number'));
}
