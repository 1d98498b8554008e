import { note, withLocals, type Converter } from './converter.ts';
import { elementKind } from './map-path.ts';
import { atLevel, brokenBase, chainText, conjunction, level, notNull, piece, toFinal, unsupported, type Piece } from './piece.ts';
import type { Loop, NodeOf, PythonNode } from './syntax.ts';

/** Iterated value of a loop, with its variables as the body sees them. */
interface Range {
  readonly over: Piece;
  readonly variable: string;
  readonly inside: Converter;
}

const raises = 'in Python, an item for which this raised an error ended the whole condition; in Cadre it is skipped';

/** Converts `any(…)` and `all(…)` over a generator or list. */
export function convertAnyAll(node: NodeOf<'call'>, isAny: boolean, converter: Converter): Piece {
  const [argument] = node.args;
  const name = isAny ? 'any' : 'all';
  if (argument === undefined || node.args.length !== 1)
    return unsupported(`${name}() takes one argument`, `write ${name}(… for x in …)`, node);
  if (argument.kind !== 'comprehension') return overValues(argument, isAny, converter);
  const { loop, element } = argument;
  const range = openLoop(loop, converter);
  const conditions = loop.conditions.map((condition) => bodyOf(condition, range.inside));
  // An item for which all() raises or is false makes the whole result false, so its body is a final place.
  const body = isAny ? bodyOf(element, range.inside) : converter.convertFinal(element, range.inside);
  const filter = conditions.map((condition) => atLevel(condition, level.and));
  const tests = isAny ? conjunction([...filter, atLevel(body, level.and)]) : implied(conditions, body);
  const method = isAny ? 'exists' : 'all';
  const { over, variable } = range;
  return piece(`${chainText(over)}.${method}(${variable}, ${single(tests)})`, level.chain, {
    kind: 'bool',
    guards: [...over.guards, ...notNull(over)],
    fails: over.fails || (over.kind === 'any' && over.bare === undefined) || (!isAny && body.fails),
    // Over an empty list, exists() is false, like a condition that raises; all() is true.
    ...(isAny && brokenBase(over) !== undefined ? { broken: false } : isAny && over.guards.length === 0 ? { broken: false } : {}),
  });
}

function implied(conditions: readonly Piece[], body: Piece): Piece {
  if (conditions.length === 0) return body;
  const all = conjunction(conditions.map((condition) => atLevel(condition, level.and)));
  return piece(
    `!${atLevel(conditions.length === 1 ? (conditions[0] ?? all) : all, level.unary)} || ${atLevel(body, level.or)}`,
    level.or,
  );
}

function single(of: Piece): string {
  return of.text;
}

/** Converts `any(list)` and `all(list)`, which test the truthiness of the values. */
function overValues(node: PythonNode, isAny: boolean, converter: Converter): Piece {
  const over = converter.convert(node, converter);
  const variable = freeName('value', converter);
  return piece(`${chainText(over)}.${isAny ? 'exists' : 'all'}(${variable}, ${variable})`, level.chain, {
    kind: 'bool',
    guards: [...over.guards, ...notNull(over)],
    fails: over.fails || over.kind === 'any',
    ...(isAny && over.guards.length === 0 ? { broken: false } : {}),
  });
}

/** Converts `[x.a for x in list if x.b]` to a list. */
export function convertComprehension(node: NodeOf<'comprehension'>, converter: Converter): Piece {
  const { loop, element } = node;
  const range = openLoop(loop, converter);
  const filtered = filteredText(range, loop);
  const isSame = element.kind === 'name' && element.name === loop.names[0] && loop.names.length === 1;
  const body = isSame ? undefined : converter.convert(element, range.inside);
  if (body !== undefined && (body.guards.length > 0 || body.fails)) {
    return unsupported('a list whose items may raise an error', "read fields with .get('key')", element);
  }
  const text = body === undefined ? filtered : `${filtered}.map(${range.variable}, ${body.text})`;
  const { over } = range;
  return piece(text, level.chain, {
    kind: body === undefined ? listKind(over) : 'list',
    guards: [...over.guards, ...notNull(over)],
    fails: over.fails || over.kind === 'any',
    ...(over.guards.length === 0 ? { broken: null, bare: text } : {}),
  });
}

function listKind(over: Piece): Piece['kind'] {
  return over.kind === 'messages' || over.kind === 'items' ? over.kind : 'list';
}

/** Converts `sum(1 for x in list if …)` to a count. */
export function convertCount(node: NodeOf<'call'>, converter: Converter): Piece {
  const [argument] = node.args;
  const counts = argument?.kind === 'comprehension' && argument.element.kind === 'literal' && argument.element.value === 1;
  if (!counts) return unsupported('a sum', 'sum(1 for x in … if …) is converted; compute other sums in a tool', node);
  const range = openLoop(argument.loop, converter);
  const { over } = range;
  return piece(`size(${filteredText(range, argument.loop)})`, level.chain, {
    kind: 'int',
    guards: [...over.guards, ...notNull(over)],
    fails: over.fails || over.kind === 'any',
    ...(over.guards.length === 0 ? { broken: 0 } : {}),
  });
}

function filteredText(range: Range, loop: Loop): string {
  const text = chainText(range.over);
  if (loop.conditions.length === 0) return text;
  const conditions = loop.conditions.map((condition) => bodyOf(condition, range.inside));
  const tests = conditions.map((condition) => atLevel(condition, conditions.length === 1 ? level.conditional : level.and));
  return `${text}.filter(${range.variable}, ${tests.join(' && ')})`;
}

/** Converts a condition on one item. Where it would raise in Python, it is false in CEL; a note says so. */
function bodyOf(node: PythonNode, converter: Converter): Piece {
  const body = converter.convert(node, converter);
  if (body.guards.length > 0 || body.fails) note(converter, node, raises);
  return toFinal(body);
}

function openLoop(loop: Loop, converter: Converter): Range {
  const { iterable, names } = loop;
  const [first = 'x', second, third] = names;
  const isPairs = iterable.kind === 'call' && iterable.callee.kind === 'attribute' && iterable.callee.name === 'items';
  if (third !== undefined || (second !== undefined) !== isPairs)
    return unsupported('a loop with several variables', 'for key, value in x.items() is converted', iterable);
  const variable = freeName(first, converter);
  if (!isPairs || iterable.callee.kind !== 'attribute') {
    const over = converter.convert(iterable, converter);
    return { over, variable, inside: withLocals(converter, { [first]: variableOf(variable, over) }) };
  }
  const over = converter.convert(iterable.callee.object, converter);
  const value = piece(`${chainText(over)}[${variable}]`, level.chain);
  const key = piece(variable, level.chain, { kind: 'string' });
  return { over: { ...over, kind: 'map' }, variable, inside: withLocals(converter, { [first]: key, [second ?? '']: value }) };
}

function variableOf(variable: string, over: Piece): Piece {
  return piece(variable, level.chain, { kind: over.kind === 'map' ? 'string' : elementKind(over.kind) });
}

const taken = new Set(
  'state meta team run config flags counters inbox turn principal partner parent request params args payload prompt v part in'.split(
    ' ',
  ),
);

/** Returns a name for a loop variable that hides neither roots of expressions nor outer loop variables. */
function freeName(wanted: string, converter: Converter): string {
  const base = /^[A-Za-z_]\w*$/.test(wanted) && wanted !== '_' ? wanted : 'x';
  const used = new Set([...converter.locals.values()].map(({ text }) => text));
  let name = base;
  for (let round = 2; taken.has(name) || used.has(name) || reservedWords.has(name); round += 1) name = `${base}_${round}`;
  return name;
}

const reservedWords = new Set(
  'as break const continue else for function if import let loop package namespace return var void while null true false'.split(' '),
);
