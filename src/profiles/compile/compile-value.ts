import { agentRoots } from '../../core/expression/agent-roots.ts';
import type { ExpressionRoots } from '../../core/expression/roots.ts';
import type { Quote } from '../../core/expression/quote.ts';
import type { Template } from '../../core/expression/template.ts';
import type { JsonValue } from '../../core/json.ts';
import type { ValueTemplate } from '../../core/profile/template.ts';
import { toPlain, type SourceNode } from '../yaml/source-node.ts';
import { compileText, type TextContext } from './compile-text.ts';
import { asText } from './read-node.ts';

type Scope = Parameters<ValueTemplate['build']>[0];
type Build = (scope: Scope, quote?: Quote) => JsonValue;

/** Returns a template for a value without expressions. */
export function constantValue(value: JsonValue): ValueTemplate {
  return { constant: true, build: () => value };
}

/**
 * Compiles a value with `{{ expressions }}` and variables at any depth; a text that is exactly one expression yields that
 * expression's value.
 */
export function compileValue(context: TextContext, node: SourceNode, roots: ExpressionRoots = agentRoots): ValueTemplate {
  const build = compileBuild(context, node, roots);
  return build === undefined ? constantValue(toPlain(node)) : { constant: false, build };
}

/** Returns a builder of the value, or undefined when the value is constant. */
function compileBuild(context: TextContext, node: SourceNode, roots: ExpressionRoots): Build | undefined {
  switch (node.kind) {
    case 'scalar':
      return textBuild(context, node, roots);
    case 'list': {
      const items = node.items.map((item) => compileBuild(context, item, roots) ?? always(toPlain(item)));
      return isConstant(items) ? undefined : (scope, quote) => items.map((item) => item(scope, quote));
    }
    case 'map': {
      const entries = [...node.entries].map(
        ([key, { value }]) => [key, compileBuild(context, value, roots) ?? always(toPlain(value))] as const,
      );
      if (isConstant(entries.map(([, build]) => build))) return undefined;
      return (scope, quote) => Object.fromEntries(entries.map(([key, build]) => [key, build(scope, quote)]));
    }
  }
}

function textBuild(context: TextContext, node: SourceNode, roots: ExpressionRoots): Build | undefined {
  const text = asText(node);
  if (text === undefined || !/[{$]\{/.test(text.value)) return undefined;
  const template: Template | undefined = compileText(context, text, roots);
  if (template === undefined) return undefined;
  if (template.constant) return always(template.render({}));
  return (scope, quote) => copyJson(template.value(scope, quote));
}

// Pure cache: marks the builders that are constant.
const constants = new WeakSet<Build>();

function always(value: JsonValue): Build {
  const build: Build = () => value;
  constants.add(build);
  return build;
}

function isConstant(builds: readonly Build[]): boolean {
  return builds.every((build) => constants.has(build));
}

/** Copies plain data: state changes, but a posted payload must not. */
function copyJson(value: unknown): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return value;
  if (Array.isArray(value)) return value.map(copyJson);
  if (typeof value !== 'object') return null;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copyJson(item)]));
}
