import { kindWith } from './convert-access.ts';
import type { Converter } from './converter.ts';
import { atLevel, brokenBase, conjunction, isTruthy, level, piece, toFinal, type Piece } from './piece.ts';
import type { NodeOf, PythonNode } from './syntax.ts';

/** Converts an expression to its truth, for places where false and raising have the same effect. */
export function convertFinal(node: PythonNode, converter: Converter): Piece {
  switch (node.kind) {
    case 'and': {
      const left = converter.convertFinal(node.left, converter);
      const right = converter.convertFinal(node.right, converter);
      return both(left, right);
    }
    case 'or': {
      const left = converter.convert(node.left, converter);
      return guarded(left.guards, either(left, converter.convertFinal(node.right, converter)));
    }
    case 'not':
      return toFinal(negation(converter.convert(node.operand, converter)));
    case 'conditional': {
      const test = converter.convert(node.test, converter);
      const then = converter.convertFinal(node.then, converter);
      const otherwise = converter.convertFinal(node.otherwise, converter);
      return guarded(test.guards, choice(test, then, otherwise));
    }
    default:
      return toFinal(converter.convert(node, converter));
  }
}

/** Returns the value of `a and b`, `a or b`, `not a` or `a if test else b`. */
export function convertLogic(node: NodeOf<'and' | 'or' | 'not' | 'conditional'>, converter: Converter): Piece {
  if (node.kind === 'not') return negation(converter.convert(node.operand, converter));
  if (node.kind === 'conditional') {
    const test = converter.convert(node.test, converter);
    const then = converter.convert(node.then, converter);
    const otherwise = converter.convert(node.otherwise, converter);
    const guards = [...test.guards, ...laterGuards(test, then.guards, 'then'), ...laterGuards(test, otherwise.guards, 'else')];
    return { ...choice(test, then, otherwise), guards };
  }
  const left = converter.convert(node.left, converter);
  const right = converter.convert(node.right, converter);
  if (node.kind === 'or' && right.literal !== undefined && !isTruthy(right.literal)) return withFallback(left, right);
  const guards = [...left.guards, ...laterGuards(left, right.guards, node.kind === 'or' ? 'else' : 'then')];
  if (left.kind === 'bool' && right.kind === 'bool') {
    const failsFirst = node.kind === 'and' && left.fails;
    const and = failsFirst ? choice(left, right, piece('false', level.chain, { kind: 'bool' })) : both(left, right);
    return { ...(node.kind === 'or' ? either(left, right) : and), guards };
  }
  const value = node.kind === 'or' ? choice(left, left, right) : choice(left, right, left);
  return { ...value, guards, nullable: node.kind === 'or' ? right.nullable : left.nullable || right.nullable };
}

/** Converts `x or 0`: empty values count as missing, so the fallback only replaces null. */
function withFallback(left: Piece, right: Piece): Piece {
  const value = right.literal ?? null;
  if (value === null || left.kind === 'bool') return { ...choice(left, left, right), guards: left.guards };
  const text = `default(${left.bare ?? left.text}, ${right.text})`;
  const isEmptyValue = typeof value === 'string' || typeof value === 'object';
  // The text of `x + 'a'` is not empty where x is missing: its fallback cannot be left out.
  const base = brokenBase(left);
  const isEmptyWhenBroken = left.guards.length === 0 || base === null || base === '';
  const kind = kindWith(left, right);
  const { broken: _broken, literal: _literal, ...rest } = left;
  return {
    ...rest,
    text,
    level: level.chain,
    kind,
    nullable: false,
    ...(isEmptyValue && isEmptyWhenBroken ? { bare: left.bare ?? atLevel(left, level.chain) } : {}),
    ...(left.guards.length > 0 && left.broken === null ? { broken: value } : {}),
  };
}

/** Returns `a && b`. In CEL, a false b hides a failure of a, so this is only valid in a final place. */
function both(left: Piece, right: Piece): Piece {
  const text = [atLevel(left, level.and), atLevel(right, level.and)];
  return { ...conjunction(text), fails: left.fails || right.fails };
}

/** Returns `a || b`; when a may fail, CEL must not continue to b as if a were false. */
function either(left: Piece, right: Piece): Piece {
  if (left.fails) return choice(left, piece('true', level.chain, { kind: 'bool' }), right);
  const text = `${atLevel(left, level.or)} || ${atLevel(right, level.or)}`;
  return piece(text, level.or, { kind: 'bool', fails: right.fails });
}

function choice(test: Piece, then: Piece, otherwise: Piece): Piece {
  const text = `${atLevel(test, level.or)} ? ${atLevel(then, level.or)} : ${atLevel(otherwise, level.conditional)}`;
  const kind = then.kind === otherwise.kind ? then.kind : 'any';
  return piece(text, level.conditional, {
    kind,
    fails: test.fails || then.fails || otherwise.fails,
    nullable: then.nullable || otherwise.nullable,
  });
}

function negation(of: Piece): Piece {
  const { fails, guards, broken } = of;
  const text = `!${atLevel(of, level.unary)}`;
  return piece(text, level.unary, { kind: 'bool', fails, guards, ...(broken === undefined ? {} : { broken: !isTruthy(broken) }) });
}

/** Returns guards for code that is evaluated only for one outcome of a test. */
function laterGuards(test: Piece, guards: readonly string[], when: 'then' | 'else'): readonly string[] {
  if (guards.length === 0) return [];
  const all = conjunction(guards);
  const asked = when === 'else' ? either(test, all) : piece(`${atLevel(test, level.or)} ? ${all.text} : true`, level.conditional);
  return [atLevel(asked, level.and)];
}

function guarded(guards: readonly string[], of: Piece): Piece {
  if (guards.length === 0) return { ...of, guards: [] };
  return { ...conjunction([...guards, atLevel(of, level.and)]), fails: of.fails };
}
