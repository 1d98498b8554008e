import { agentRoots } from '../../core/expression/agent-roots.ts';
import { compileExpression, type CompileResult, type Expression, type ExpressionRoots } from '../../core/expression/expression.ts';
import { compileTemplate, type Environment, type Template } from '../../core/expression/template.ts';
import { isCredentialName, splitVariables } from '../../core/expression/variables.ts';
import type { Report } from '../report.ts';
import { quote } from '../wording.ts';
import { childOf, type ScalarNode, type SourceNode } from '../yaml/source-node.ts';

/** Most expressions in one text, and most problems reported of it. */
const maxExpressions = 1_000;
const maxProblems = 20;

type Cache<T> = WeakMap<ScalarNode, { readonly roots: ExpressionRoots; readonly result: CompileResult<T> }>;

// Pure cache: keyed by a node of a file, which never changes, and compared with the roots. Profiles that inherit share the nodes of their base, so a text is compiled once however many profiles have it.
const expressions: Cache<Expression> = new WeakMap();
// Pure cache: the same for texts.
const templates: Cache<Template> = new WeakMap();

function compileOnce<T>(
  cache: Cache<T>,
  node: ScalarNode,
  roots: ExpressionRoots,
  compile: (source: string, roots: ExpressionRoots) => CompileResult<T>,
): CompileResult<T> {
  const known = cache.get(node);
  if (known?.roots === roots) return known.result;
  const result = compile(String(node.value), roots);
  cache.set(node, { roots, result });
  return result;
}

/** Compiles the condition below a key; absent and `true` mean always. Problems are reported at their exact place. */
export function compileCondition(
  report: Report,
  node: SourceNode,
  roots: ExpressionRoots = agentRoots,
  key = 'condition',
): Expression | undefined {
  const child = childOf(node, key);
  if (child?.kind !== 'scalar' || child.value === true) return undefined;
  if (child.value === false) return constantExpression('false');
  if (typeof child.value !== 'string' || child.value.trim() === '') return undefined;
  const compiled = compileOnce(expressions, child, roots, compileExpression);
  if (compiled.ok) return compiled.value;
  for (const problem of compiled.problems.slice(0, maxProblems))
    report.errorInText('BAD_EXPRESSION', child, problem.start, problem.message, problem.hint);
  // Nothing runs on a profile with errors; the observer or rule is kept so that its other problems are found.
  return undefined;
}

/** What compiling a text needs besides the text. */
export interface TextContext {
  readonly report: Report;
  readonly environment: Environment;
}

/** Compiles a text with `{{ expressions }}` and `${VARIABLES}`; problems are reported at their exact place. */
export function compileText(
  { report, environment }: TextContext,
  node: ScalarNode & { readonly value: string },
  roots: ExpressionRoots = agentRoots,
): Template | undefined {
  if (node.value.split('{{', maxExpressions + 2).length > maxExpressions + 1) {
    report.error(
      'BAD_TEMPLATE',
      node.at,
      `the text has more than ${maxExpressions} expressions`,
      'let an ingestor build a text of this kind',
    );
    return undefined;
  }
  checkVariables(report, node, environment);
  const compile = (source: string): CompileResult<Template> => compileTemplate(source, roots, environment);
  const compiled = compileOnce(templates, node, roots, compile);
  if (compiled.ok) return compiled.value;
  for (const problem of compiled.problems.slice(0, maxProblems))
    report.errorInText('BAD_TEMPLATE', node, problem.start, problem.message, problem.hint);
  return undefined;
}

/** Texts are read by models and recorded: no credential stands in one. What only a request can set is told of. */
function checkVariables(report: Report, node: ScalarNode & { readonly value: string }, environment: Environment): void {
  for (const piece of splitVariables(node.value)) {
    if (typeof piece === 'string') continue;
    const { name, fallback, start } = piece;
    if (isCredentialName(name)) {
      const message = `${quote(`\${${name}}`)} names a credential, and texts are read by models and recorded`;
      report.errorInText('BAD_TEMPLATE', node, start, message, 'let a tool read it: from its settings, or from context.context');
    } else if (fallback === undefined && (environment[name] ?? '') === '')
      report.warning(
        'BAD_ENVIRONMENT_VALUE',
        node.at,
        `the environment does not set ${name}: the text has it only from runs whose request does`,
        `write \${${name}:-…} for what stands there without`,
      );
  }
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
