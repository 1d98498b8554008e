import type { JsonValue } from '../../core/json.ts';
import { note, type Converter } from './converter.ts';
import { atLevel, brokenBase, level, literalText, notNull, piece, unsupported, type Kind, type Piece } from './piece.ts';
import type { NodeOf, PythonNode } from './syntax.ts';

/** Converts a comparison: equality, order, membership, identity. */
export function convertCompare(node: NodeOf<'compare'>, converter: Converter): Piece {
  switch (node.operator) {
    case '==':
    case '!=':
      return equality(node, converter);
    case 'is':
    case 'is not':
      return identity(node, converter);
    case 'in':
    case 'not in':
      return membership(node, converter);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return order(node, node.operator, converter);
  }
}

function equality(node: NodeOf<'compare'>, converter: Converter): Piece {
  const left = converter.convert(node.left, converter);
  const right = converter.convert(node.right, converter);
  if (typeof left.literal === 'boolean' || typeof right.literal === 'boolean')
    note(converter, node, 'in Python 1 equals True and 0 equals False; in CEL true and false equal only themselves');
  const same = (a: JsonValue, b: JsonValue): boolean => (JSON.stringify(a) === JSON.stringify(b)) === (node.operator === '==');
  return binary(left, right, { operator: node.operator, mayFail: false, compare: same });
}

function identity(node: NodeOf<'compare'>, converter: Converter): Piece {
  const { right } = node;
  if (right.kind !== 'literal' || (right.value !== null && typeof right.value !== 'boolean'))
    return unsupported('`is` between values', 'write `==`; `is` is converted for None, True and False', node.right);
  const left = converter.convert(node.left, converter);
  const operator = node.operator === 'is' ? '==' : '!=';
  const text = `${atLevel(left, level.sum)} ${operator} ${literalText(right.value)}`;
  const { broken } = left;
  const known = broken === undefined ? {} : { broken: (broken === right.value) === (operator === '==') };
  return piece(text, level.compare, { kind: 'bool', guards: left.guards, fails: left.fails, ...known });
}

const numbers: ReadonlySet<Kind> = new Set(['int', 'number']);

function order(node: NodeOf<'compare'>, operator: '<' | '<=' | '>' | '>=', converter: Converter): Piece {
  const left = converter.convert(node.left, converter);
  const right = converter.convert(node.right, converter);
  const isSafe = (numbers.has(left.kind) && numbers.has(right.kind)) || (left.kind === 'string' && right.kind === 'string');
  const fails = !isSafe || left.nullable || right.nullable;
  return binary(left, right, {
    operator,
    mayFail: fails,
    compare: (a, b) => {
      // Null is not a number: the comparison fails, which counts as false.
      if (typeof a !== 'number' || typeof b !== 'number') return false;
      return operator === '<' ? a < b : operator === '<=' ? a <= b : operator === '>' ? a > b : a >= b;
    },
  });
}

function binary(
  left: Piece,
  right: Piece,
  {
    operator,
    mayFail,
    compare,
  }: { readonly operator: string; readonly mayFail: boolean; readonly compare: (left: JsonValue, right: JsonValue) => boolean },
): Piece {
  const text = `${atLevel(left, level.sum)} ${operator} ${atLevel(right, level.sum)}`;
  const guards = [...left.guards, ...right.guards];
  const fails = mayFail || left.fails || right.fails;
  const broken = brokenOf(left, right, compare);
  return piece(text, level.compare, { kind: 'bool', guards, fails, ...(broken === undefined ? {} : { broken }) });
}

/** Returns the result of the comparison when its one guarded side is broken and the other is a literal. */
function brokenOf(left: Piece, right: Piece, compare: (left: JsonValue, right: JsonValue) => boolean): boolean | undefined {
  if (left.guards.length > 0 && left.broken !== undefined && right.literal !== undefined)
    return compare(left.broken, right.literal);
  if (right.guards.length > 0 && right.broken !== undefined && left.literal !== undefined)
    return compare(left.literal, right.broken);
  return undefined;
}

function membership(node: NodeOf<'compare'>, converter: Converter): Piece {
  const left = converter.convert(node.left, converter);
  const right = converter.convert(asList(node.right), converter);
  const text = `${atLevel(left, level.sum)} in ${right.bare ?? atLevel(right, level.sum)}`;
  const guards = [...left.guards, ...right.guards, ...notNull(right)];
  const isLiteral = right.literal !== undefined;
  // A text never contains null; values other than lists, maps and texts fail on both sides.
  const fails = left.fails || right.fails || (right.kind === 'string' && left.nullable) || right.kind === 'any';
  const inNothing = guards.length > left.guards.length && left.guards.length === 0 && brokenBase(right) !== undefined;
  const outside = left.guards.length > 0 && isLiteral && left.broken !== undefined && !holds(right.literal ?? null, left.broken);
  const isIn = piece(text, level.compare, {
    kind: 'bool',
    guards,
    fails,
    ...(outside || inNothing || (left.guards.length === 0 && right.guards.length === 0) ? { broken: false } : {}),
  });
  if (node.operator === 'in') return isIn;
  const { broken: _broken, ...rest } = isIn;
  return { ...rest, text: `!(${text})`, level: level.unary };
}

function holds(list: JsonValue, item: JsonValue): boolean {
  return Array.isArray(list) && (list as readonly JsonValue[]).some((each) => JSON.stringify(each) === JSON.stringify(item));
}

/** After `in`, treats a tuple or set as a list. */
function asList(node: PythonNode): PythonNode {
  return node.kind === 'tuple' || node.kind === 'set' ? { ...node, kind: 'list' } : node;
}

/**
 * Returns the kind of a sum. Possibly negative whole numbers count as `number`: only the remainder of other whole numbers is safe.
 */
function sumKind(operator: string, left: Kind, right: Kind): Kind {
  if (numbers.has(left) && numbers.has(right)) return left === right && operator !== '-' ? left : 'number';
  return left === right ? left : 'any';
}

/** Converts `+ - * / %` and the sign. */
export function convertArithmetic(node: NodeOf<'arithmetic' | 'minus'>, converter: Converter): Piece {
  if (node.kind === 'minus') {
    const operand = converter.convert(node.operand, converter);
    const literal = typeof operand.literal === 'number' ? { literal: -operand.literal } : {};
    const { guards, fails, kind } = operand;
    const isNumber = numbers.has(kind);
    const text = `-${atLevel(operand, level.chain)}`;
    return piece(text, level.unary, { guards, fails: fails || !isNumber, kind: isNumber ? 'number' : 'any', ...literal });
  }
  const left = converter.convert(node.left, converter);
  const right = converter.convert(node.right, converter);
  const guards = [...left.guards, ...right.guards];
  const isSafe =
    numbers.has(left.kind) && numbers.has(right.kind) && !left.nullable && !right.nullable && !'/%'.includes(node.operator);
  const fails = left.fails || right.fails || !isSafe;
  const kind = sumKind(node.operator, left.kind, right.kind);
  const own = node.operator === '+' || node.operator === '-' ? level.sum : level.product;
  const [a, b] = [atLevel(left, own), atLevel(right, own + 1)];
  if (node.operator === '/')
    return piece(`1.0 * ${atLevel(left, level.unary)} / ${b}`, level.product, { guards, fails, kind: 'number' });
  if (node.operator === '%') {
    if (!numbers.has(right.kind) || typeof right.literal !== 'number' || right.literal <= 0)
      return unsupported('`%` with something other than a positive number', 'write a number after `%`', node.right);
    if (left.kind === 'string') return unsupported('text formatting with `%`', 'join texts with `+`', node);
    // Python's remainder has the sign of the divisor.
    const text = left.kind === 'int' ? `${a} % ${b}` : `(${a} % ${b} + ${b}) % ${b}`;
    return piece(text, level.product, { guards, fails, kind });
  }
  return piece(`${a} ${node.operator} ${b}`, own, { guards, fails, kind });
}
