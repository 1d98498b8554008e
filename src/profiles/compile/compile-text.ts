import { agentRoots } from '../../core/expression/agent-roots.ts';
import { compileExpression, type CompileResult, type Expression, type ExpressionRoots } from '../../core/expression/expression.ts';
import { compileTemplate, type Environment, type Template } from '../../core/expression/template.ts';
import { isCredentialName, splitVariables } from '../../core/expression/variables.ts';
import type { Report } from '../report.ts';
import { quote } from '../wording.ts';
import { childOf, type ScalarNode, type SourceNode } from '../yaml/source-node.ts';

/** Maximum number of expressions in one text, and of problems reported for it. */
const maxExpressions = 1_000;
const maxProblems = 20;

type Cache<T> = WeakMap<ScalarNode, { readonly roots: ExpressionRoots; readonly result: CompileResult<T> }>;

// Pure cache: keyed by a file's node, which never changes, and compared with the roots. Inheriting profiles share the nodes of their
// base, so each text is compiled once.
const expressions: Cache<Expression> = new WeakMap();
// Pure cache: the same for templates.
const templates: Cache<Template> = new WeakMap();

function compileOnce<T>(
  cache: Cache<T>,
  node: ScalarNode,
  {
    roots,
    compile,
  }: { readonly roots: ExpressionRoots; readonly compile: (source: string, roots: ExpressionRoots) => CompileResult<T> },
): CompileResult<T> {
  const known = cache.get(node);
  if (known?.roots === roots) return known.result;
  const result = compile(String(node.value), roots);
  cache.set(node, { roots, result });
  return result;
}

/**
 * Compiles the condition at a key; returns undefined (always true) when it is absent or `true`. Reports problems at their exact
 * place.
 */
export function compileCondition(
  report: Report,
  node: SourceNode,
  {
    roots = agentRoots,
    key = 'condition',
  }: { readonly roots?: ExpressionRoots | undefined; readonly key?: string | undefined } = {},
): Expression | undefined {
  const child = childOf(node, key);
  if (child?.kind !== 'scalar' || child.value === true) return undefined;
  if (child.value === false) return constantExpression('false');
  if (typeof child.value !== 'string' || child.value.trim() === '') return undefined;
  const compiled = compileOnce(expressions, child, { roots, compile: compileExpression });
  if (compiled.ok) return compiled.value;
  for (const problem of compiled.problems.slice(0, maxProblems))
    report.errorInText('BAD_EXPRESSION', { node: child, offset: problem.start, message: problem.message, hint: problem.hint });
  // A profile with errors never runs; keeping the observer or rule lets its other problems be found.
  return undefined;
}

/** Environment and report used for compiling a text. */
export interface TextContext {
  readonly report: Report;
  readonly environment: Environment;
}

/** Compiles a text with `{{ expressions }}` and `${VARIABLES}`; reports problems at their exact place. */
export function compileText(
  { report, environment }: TextContext,
  node: ScalarNode & { readonly value: string },
  roots: ExpressionRoots = agentRoots,
): Template | undefined {
  if (node.value.split('{{', maxExpressions + 2).length > maxExpressions + 1) {
    report.error('BAD_TEMPLATE', {
      at: node.at,
      message: `the text has more than ${maxExpressions} expressions`,
      hint: 'let an ingestor build a text of this kind',
    });
    return undefined;
  }
  checkVariables(report, node, environment);
  const compile = (source: string): CompileResult<Template> => compileTemplate(source, roots, environment);
  const compiled = compileOnce(templates, node, { roots, compile });
  if (compiled.ok) return compiled.value;
  for (const problem of compiled.problems.slice(0, maxProblems))
    report.errorInText('BAD_TEMPLATE', { node, offset: problem.start, message: problem.message, hint: problem.hint });
  return undefined;
}

/**
 * Refuses credentials in a text, since models read it and the journal records it; warns of variables that only a request can set.
 */
function checkVariables(report: Report, node: ScalarNode & { readonly value: string }, environment: Environment): void {
  for (const piece of splitVariables(node.value)) {
    if (typeof piece === 'string') continue;
    const { name, fallback, start } = piece;
    if (isCredentialName(name)) {
      const message = `${quote(`\${${name}}`)} names a credential, and texts are read by models and recorded`;
      report.errorInText('BAD_TEMPLATE', {
        node,
        offset: start,
        message,
        hint: 'let a tool read it: from its settings, or from context.context',
      });
    } else if (fallback === undefined && (environment[name] ?? '') === '')
      report.warning('BAD_ENVIRONMENT_VALUE', {
        at: node.at,
        message: `the environment does not set ${name}: only runs whose request sets it can use the text`,
        hint: `write \${${name}:-…} to give a default`,
      });
  }
}

/** Compiles an expression of Cadre's own. Throws when it does not compile, which is a bug. */
export function constantExpression(source: string): Expression {
  const compiled = compileExpression(source, agentRoots);
  if (!compiled.ok) throw new Error(`the built-in condition ${source} does not compile: ${compiled.problems[0]?.message ?? ''}`);
  return compiled.value;
}

/** Compiles a template of Cadre's own. Throws when it does not compile, which is a bug. */
export function constantTemplate(source: string): Template {
  const compiled = compileTemplate(source, agentRoots);
  if (!compiled.ok) throw new Error(`the built-in text ${source} does not compile: ${compiled.problems[0]?.message ?? ''}`);
  return compiled.value;
}
