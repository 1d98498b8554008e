import {
  broken,
  mayBe,
  report,
  siteOf,
  valueRun,
  type Compiled,
  type Compiler,
  type Locals,
  type Run,
  type StaticType,
} from './compiler.ts';
import { isList, isMap, isTruthy, isForbiddenKey, kindOf, equals } from '../data.ts';
import { failure, type Evaluation, type Site } from '../evaluation.ts';
import type { SyntaxNode } from '../parse.ts';

type BinaryNode = Extract<SyntaxNode, { readonly op: '+' | '-' | '*' | '/' | '%' | '<' | '<=' | '>' | '>=' | '==' | '!=' | 'in' }>;

/** A two-sided operator with its compiled sides. */
interface Operation {
  readonly compiler: Compiler;
  readonly node: BinaryNode;
  readonly left: Compiled;
  readonly right: Compiled;
  readonly site: Site;
}

/** Compiles a two-sided operator on values: arithmetic, order, equality and membership. */
export function compileBinary(compiler: Compiler, node: BinaryNode, locals: Locals | undefined): Compiled {
  const given = node.args.map((side) => compiler.compile(side, locals));
  // Only a comparison with null itself may ask whether a value is there.
  const asksForNull = (node.op === '==' || node.op === '!=') && given.some(({ type }) => type === 'null');
  const [left, right] = given.map((side, index): Compiled => {
    const at = node.args[index];
    return asksForNull || at === undefined ? side : { run: valueRun(compiler, side, at), type: side.type };
  });
  if (left === undefined || right === undefined) return broken;
  const operation: Operation = { compiler, node, left, right, site: siteOf(compiler, node) };
  switch (node.op) {
    case '==':
      return { run: (evaluation) => isEqual(left.run(evaluation), right.run(evaluation), evaluation), type: 'bool' };
    case '!=':
      return { run: (evaluation) => !isEqual(left.run(evaluation), right.run(evaluation), evaluation), type: 'bool' };
    case 'in':
      if (!mayBe(right.type, 'list', 'map', 'string', 'null')) return mismatch(operation);
      return { run: membership(operation), type: 'bool' };
    case '<':
    case '<=':
    case '>':
    case '>=':
      if (!comparable(left.type, right.type)) return mismatch(operation);
      return { run: order(node.op, operation), type: 'bool' };
    default:
      return compileArithmetic(operation);
  }
}

/**
 * Compiles `&&` and `||`, which take values of every kind by truthiness and return a bool. As in CEL, a side that decides
 * outweighs a failure of the other.
 */
export function compileLogical(left: Run, right: Run, decides: boolean): Compiled {
  const run = (evaluation: Evaluation): boolean => {
    let truth: boolean;
    try {
      truth = isTruthy(left(evaluation));
    } catch (error) {
      if (!evaluation.exhausted && isTruthy(right(evaluation)) === decides) return decides;
      throw error;
    }
    return truth === decides ? decides : isTruthy(right(evaluation));
  };
  return { run, type: 'bool' };
}

/** Compiles a unary minus. */
export function compileMinus(
  compiler: Compiler,
  node: Extract<SyntaxNode, { readonly op: '-_' }>,
  locals: Locals | undefined,
): Compiled {
  const operand = compiler.compile(node.args, locals);
  const site = siteOf(compiler, node);
  if (!mayBe(operand.type, 'number')) return report(compiler, node, `cannot negate a ${operand.type}`);
  const read = valueRun(compiler, operand, node.args);
  const run = (evaluation: Evaluation): unknown => {
    const value = read(evaluation);
    if (typeof value === 'number') return 0 - value;
    throw failure(`cannot negate ${article(value)}`, site);
  };
  return { run, type: operand.type };
}

function isEqual(left: unknown, right: unknown, evaluation: Evaluation): boolean {
  return typeof left === typeof right ? equals(left, right, evaluation) : false;
}

function membership({ left, right, site }: Operation): Run {
  return (evaluation) => {
    const item = left.run(evaluation);
    const container = right.run(evaluation);
    // Null counts as an empty list or map, as in size() and loops: a list that was never set is empty.
    if (container === null) return false;
    if (isList(container)) {
      for (const candidate of container) {
        evaluation.charge(1);
        if (isEqual(item, candidate, evaluation)) return true;
      }
      return false;
    }
    if (isMap(container)) {
      const key = typeof item === 'number' ? String(item) : item;
      return typeof key === 'string' && !isForbiddenKey(key) && Object.hasOwn(container, key);
    }
    if (typeof container === 'string' && typeof item === 'string') {
      evaluation.chargeText(container.length);
      return container.includes(item);
    }
    throw failure(`cannot look for ${article(item)} in ${article(container)}`, site);
  };
}

function order(operator: '<' | '<=' | '>' | '>=', operation: Operation): Run {
  const { site } = operation;
  const { run: left } = operation.left;
  const { run: right } = operation.right;
  const check = (a: unknown, b: unknown): number => {
    if (typeof a === typeof b && (typeof a === 'string' || typeof a === 'boolean')) {
      return a === b ? 0 : (a as string) < (b as string) ? -1 : 1;
    }
    throw failure(`cannot compare ${article(a)} with ${article(b)}${advice(false, a, b)}`, site);
  };
  switch (operator) {
    case '<':
      return (evaluation) => {
        const a = left(evaluation);
        const b = right(evaluation);
        return typeof a === 'number' && typeof b === 'number' ? a < b : check(a, b) < 0;
      };
    case '<=':
      return (evaluation) => {
        const a = left(evaluation);
        const b = right(evaluation);
        return typeof a === 'number' && typeof b === 'number' ? a <= b : check(a, b) <= 0;
      };
    case '>':
      return (evaluation) => {
        const a = left(evaluation);
        const b = right(evaluation);
        return typeof a === 'number' && typeof b === 'number' ? a > b : check(a, b) > 0;
      };
    case '>=':
      return (evaluation) => {
        const a = left(evaluation);
        const b = right(evaluation);
        return typeof a === 'number' && typeof b === 'number' ? a >= b : check(a, b) >= 0;
      };
  }
}

function compileArithmetic(operation: Operation): Compiled {
  const { left, right, site } = operation;
  const operator = operation.node.op;
  const plus = operator === '+';
  const fits = (type: StaticType): boolean => (plus ? mayBe(type, 'number', 'string', 'list') : mayBe(type, 'number'));
  if (!fits(left.type) || !fits(right.type) || !sameKind(left.type, right.type)) return mismatch(operation);
  const whole = left.type === 'int' && right.type === 'int';
  const calculate = calculation(operator, whole, site);
  const run = (evaluation: Evaluation): unknown => {
    const a = left.run(evaluation);
    const b = right.run(evaluation);
    if (typeof a === 'number' && typeof b === 'number') {
      const result = calculate(a, b);
      // JSON has neither infinity nor NaN, so results have neither.
      if (Number.isFinite(result)) return result;
      throw failure('the result is not a finite number', site);
    }
    if (plus && typeof a === 'string' && typeof b === 'string') {
      evaluation.chargeText(a.length + b.length);
      return a + b;
    }
    if (plus && isList(a) && isList(b)) {
      evaluation.charge(a.length + b.length);
      return [...a, ...b];
    }
    throw failure(`cannot compute ${kindOf(a)} ${operator} ${kindOf(b)}${advice(plus, a, b)}`, site);
  };
  const known = left.type === 'any' ? right.type : left.type;
  return { run, type: plus ? (whole ? 'int' : sum(known)) : whole ? 'int' : 'number' };
}

function sum(known: StaticType): StaticType {
  // An int plus something unknown need not be whole.
  return known === 'int' ? 'number' : known;
}

function calculation(operator: string, whole: boolean, site: Site): (a: number, b: number) => number {
  const divisor = (b: number): number => {
    if (b === 0) throw failure('division by zero', site);
    return b;
  };
  switch (operator) {
    case '+':
      return (a, b) => a + b;
    case '-':
      return (a, b) => a - b;
    case '*':
      return (a, b) => a * b;
    case '%':
      return (a, b) => a % divisor(b);
    default:
      // CEL divides ints to an int; numbers from data may be fractions and divide exactly.
      return whole ? (a, b) => Math.trunc(a / divisor(b)) : (a, b) => a / divisor(b);
  }
}

function advice(plus: boolean, a: unknown, b: unknown): string {
  if (a === null || b === null) return '; a missing value is null, use default(x, 0)';
  return plus && (typeof a === 'string' || typeof b === 'string') ? '; use string(x) to join texts' : '';
}

function comparable(left: StaticType, right: StaticType): boolean {
  return mayBe(left, 'number', 'string', 'bool') && mayBe(right, 'number', 'string', 'bool') && sameKind(left, right);
}

function sameKind(left: StaticType, right: StaticType): boolean {
  return left === 'any' || right === 'any' || widen(left) === widen(right);
}

function widen(type: StaticType): StaticType {
  return type === 'int' ? 'number' : type;
}

function mismatch({ compiler, node, left, right }: Operation): Compiled {
  const hint = node.op === '+' && (left.type === 'string' || right.type === 'string') ? 'use string(x) to join texts' : undefined;
  report(compiler, node, `\`${node.op}\` does not work between ${left.type} and ${right.type}`, hint);
  return broken;
}

function article(value: unknown): string {
  const kind = kindOf(value);
  return kind === 'null' ? kind : `a ${kind}`;
}
