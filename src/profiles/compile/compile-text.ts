import { agentRoots } from '../../core/expression/agent-roots.ts';
import { compileExpression, type Expression, type ExpressionRoots } from '../../core/expression/expression.ts';
import { compileTemplate, type Template } from '../../core/expression/template.ts';
import type { Report } from '../report.ts';
import { childOf, type ScalarNode, type SourceNode } from '../yaml/source-node.ts';

/** Compiles the condition below a key; absent and `true` mean always. Problems are reported at their exact place. */
export function compileCondition(report: Report, node: SourceNode, roots: ExpressionRoots = agentRoots, key = 'condition'): Expression | undefined {
  const child = childOf(node, key);
  if (child?.kind !== 'scalar' || child.value === true) return undefined;
  if (child.value === false) return constantExpression('false');
  if (typeof child.value !== 'string') return undefined;
  const compiled = compileExpression(child.value, roots);
  if (compiled.ok) return compiled.value;
  for (const problem of compiled.problems) report.errorInText('BAD_EXPRESSION', child, problem.start, problem.message, problem.hint);
  // Nothing runs on a profile with errors; the observer or rule is kept so that its other problems are found.
  return undefined;
}

/** Compiles a text with `{{ expressions }}`; problems are reported at their exact place. */
export function compileText(report: Report, node: ScalarNode & { readonly value: string }, roots: ExpressionRoots = agentRoots): Template | undefined {
  const compiled = compileTemplate(node.value, roots);
  if (compiled.ok) return compiled.value;
  for (const problem of compiled.problems) report.errorInText('BAD_TEMPLATE', node, problem.start, problem.message, problem.hint);
  return undefined;
}

/** An expression of ours, known to compile. */
export function constantExpression(source: string): Expression {
  const compiled = compileExpression(source, agentRoots);
  if (!compiled.ok) throw new Error(`the built-in condition ${source} does not compile: ${compiled.problems[0]?.message ?? ''}`);
  return compiled.value;
}

/** A template of ours, known to compile. */
export function constantTemplate(source: string): Template {
  const compiled = compileTemplate(source, agentRoots);
  if (!compiled.ok) throw new Error(`the built-in text ${source} does not compile: ${compiled.problems[0]?.message ?? ''}`);
  return compiled.value;
}
