import { agentRoots } from '../../../core/expression/agent-roots.ts';
import { compileExpression, type ExpressionRoots } from '../../../core/expression/expression.ts';
import type { Report } from '../../report.ts';
import type { ScalarNode } from '../../yaml/source-node.ts';

/** Checks that a path such as `team.work_modules` starts at something that exists. */
export function checkPath(
  report: Report,
  node: ScalarNode & { readonly value: string },
  roots: ExpressionRoots = agentRoots,
): void {
  // A variable represents a key that is only known at run time.
  const path = node.value.replaceAll(/\{\{[^{}]*\}\}/g, 'x');
  const compiled = compileExpression(`v[${JSON.stringify(path)}]`, roots);
  if (compiled.ok) return;
  for (const { message, hint } of compiled.problems) report.error('BAD_PATH', { at: node.at, message, hint });
}
