import {
  compileExpression,
  type Expression,
  type ExpressionProblem,
  type ExpressionRoots,
  type Scope,
} from '../expression/expression.ts';
import { closestName } from '../expression/closest-name.ts';
import { compileTemplate } from '../expression/template.ts';
import type { JsonObject, JsonValue } from '../json.ts';

/** Path in a script: keys and list indexes from the top. */
export type ScriptPath = readonly (string | number)[];

/** One problem in a script; `start` and `end` are offsets into the text at `path`, both 0 when it is no text. */
export interface ScriptProblem extends ExpressionProblem {
  readonly path: ScriptPath;
}

/** Computes a value from the model's input; throws `CONDITION_FAILED` on failure. */
export type Computed<T> = (scope: Scope) => T;

/** Compiles the parts of a script and collects their problems. */
export class ScriptCompiler {
  readonly problems: ScriptProblem[] = [];

  /** Reports a problem of the whole value at a path. */
  report(path: ScriptPath, message: string, hint?: string): void {
    this.problems.push({ path, message, start: 0, end: 0, ...(hint !== undefined && { hint }) });
  }

  /** Reports unknown keys of an object. */
  checkKeys(source: JsonObject, path: ScriptPath, allowed: readonly string[]): void {
    for (const key of Object.keys(source)) {
      if (allowed.includes(key)) continue;
      const close = closestName(key, allowed);
      this.report(
        [...path, key],
        `"${key}" is not known here; allowed: ${allowed.join(', ')}`,
        close === undefined ? undefined : `did you mean "${close}"?`,
      );
    }
  }

  /** Compiles a condition: an expression, or plain true or false. */
  condition(source: JsonValue, path: ScriptPath, roots: ExpressionRoots): Computed<boolean> {
    if (typeof source === 'boolean') return () => source;
    const expression = this.#expression(source, path, roots);
    return (scope) => expression?.test(scope) === true;
  }

  /** Compiles an expression; its value keeps its type. */
  expression(source: JsonValue, path: ScriptPath, roots: ExpressionRoots): Computed<unknown> {
    const expression = this.#expression(source, path, roots);
    return (scope) => expression?.evaluate(scope);
  }

  /** Compiles a text with `{{ expressions }}`. */
  text(source: JsonValue, path: ScriptPath, roots: ExpressionRoots): Computed<string> {
    if (typeof source !== 'string') {
      this.report(path, 'must be a text');
      return () => '';
    }
    const compiled = compileTemplate(source, roots);
    if (compiled.ok) return (scope) => compiled.value.render(scope);
    this.#take(compiled.problems, path);
    return () => '';
  }

  /** Compiles a value with texts anywhere inside; a text that is exactly one expression keeps the type of its value. */
  value(source: JsonValue | undefined, path: ScriptPath, roots: ExpressionRoots): Computed<unknown> {
    if (typeof source === 'string') return this.#textValue(source, path, roots);
    if (typeof source !== 'object' || source === null) return () => source;
    if (isList(source)) {
      const items = source.map((item, index) => this.value(item, [...path, index], roots));
      return (scope) => items.map((item) => item(scope));
    }
    const fields = Object.entries(source).map(([key, item]) => [key, this.value(item, [...path, key], roots)] as const);
    return (scope) => Object.fromEntries(fields.map(([key, field]) => [key, field(scope)]));
  }

  #textValue(source: string, path: ScriptPath, roots: ExpressionRoots): Computed<unknown> {
    const compiled = compileTemplate(source, roots);
    if (compiled.ok) return (scope) => compiled.value.value(scope);
    this.#take(compiled.problems, path);
    return () => null;
  }

  #expression(source: JsonValue, path: ScriptPath, roots: ExpressionRoots): Expression | undefined {
    if (typeof source !== 'string') {
      this.report(path, 'must be an expression', 'write it as a text, for example "turn == 1"');
      return undefined;
    }
    const compiled = compileExpression(source, roots);
    if (compiled.ok) return compiled.value;
    this.#take(compiled.problems, path);
    return undefined;
  }

  #take(problems: readonly ExpressionProblem[], path: ScriptPath): void {
    for (const problem of problems) this.problems.push({ ...problem, path });
  }
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
