import type { JsonValue } from '../../core/json.ts';
import { contextNames, convertGet, readVPath, withDefault } from './convert-access.ts';
import { convertAnyAll, convertCount } from './convert-loop.ts';
import { note, type Converter } from './converter.ts';
import { atLevel, brokenBase, chainText, level, notNull, piece, unsupported, type Kind, type Piece } from './piece.ts';
import type { NodeOf, PythonNode } from './syntax.ts';

const functionHints: Readonly<Record<string, string>> = {
  max: 'write a > b ? a : b',
  min: 'write a < b ? a : b',
  sorted: 'write sort(list)',
  set: 'write unique(list)',
  abs: 'write x < 0 ? -x : x',
  hasattr: "write 'key' in x",
  getattr: "write x.get('key')",
  re: 'write text.matches(pattern)',
};

const methodHints: Readonly<Record<string, string>> = {
  split: 'split(text, separator) in CEL; words(text) for words',
  count: 'size(list.filter(x, …)) in CEL',
  index: 'compare first(list) or last(list)',
  lstrip: 'trim() in CEL',
  rstrip: 'trim() in CEL',
  format: 'join texts with `+`',
  isdigit: String.raw`text.matches('^\\d+$') in CEL`,
  pop: 'a condition changes nothing',
  append: 'a condition changes nothing',
};

/** Converts a call of a function or method. */
export function convertCall(node: NodeOf<'call'>, converter: Converter): Piece {
  const { callee, args } = node;
  if (callee.kind === 'attribute') return convertMethod(callee, args, converter);
  if (callee.kind !== 'name') return unsupported('a call of a value', 'call functions by name', node);
  const [first, second, third] = args;
  switch (callee.name) {
    case 'get_nested_value_from_context':
      return nestedValue(node, converter);
    case 'any':
    case 'all':
      return convertAnyAll(node, callee.name === 'any', converter);
    case 'sum':
      return convertCount(node, converter);
    case 'isinstance':
      if (first === undefined || second === undefined || third !== undefined) break;
      return isInstance(first, second, converter);
    case 'len':
    case 'str':
    case 'int':
    case 'float':
    case 'bool':
      if (first === undefined || second !== undefined) break;
      return convertValue(callee.name, converter.convert(first, converter), { at: node, converter });
    default:
      return unsupported(`the function ${callee.name}()`, hintOf(functionHints, callee.name), node);
  }
  return unsupported(`${callee.name}() does not take these arguments`, 'see docs/migrating.md', node);
}

function hintOf(hints: Readonly<Record<string, string>>, name: string): string {
  return (
    (Object.hasOwn(hints, name) ? hints[name] : undefined) ?? 'write the condition in CEL: docs/conditions.md has its functions'
  );
}

function nestedValue(node: NodeOf<'call'>, converter: Converter): Piece {
  const [context, path, fallback, more] = node.args;
  if (more !== undefined) return unsupported('a fourth argument', 'it takes the context, a path, and a fallback', more);
  if (context?.kind !== 'name' || !contextNames.has(context.name))
    return unsupported('the first argument must be the context', "write v['path']", context ?? node);
  if (path?.kind !== 'literal' || typeof path.value !== 'string')
    return unsupported('a path that is computed', "write v['team.work_modules.' + id]", path ?? node);
  return withDefault(readVPath(path.value, converter, path), fallback, converter);
}

function convertValue(
  name: 'len' | 'str' | 'int' | 'float' | 'bool',
  of: Piece,
  { at, converter }: { readonly at: PythonNode; readonly converter: Converter },
): Piece {
  const { guards, fails } = of;
  switch (name) {
    case 'len': {
      const sized = of.kind !== 'any' || of.bare !== undefined;
      return piece(`size(${of.bare ?? of.text})`, level.chain, {
        kind: 'int',
        guards: [...guards, ...notNull(of)],
        fails: fails || !sized,
        ...(brokenBase(of) !== undefined || guards.length === 0 ? { broken: 0 } : {}),
      });
    }
    case 'bool':
      return piece(`truthy(${of.text})`, level.chain, {
        kind: 'bool',
        guards,
        fails,
        ...withBroken(of, (value) => Boolean(value)),
      });
    case 'str':
      return asText(of, at, converter);
    case 'float':
      return piece(`double(${of.text})`, level.chain, { kind: 'number', guards, fails: fails || of.kind !== 'number' });
    case 'int': {
      // Python's int() accepts only whole numbers in texts; CEL's accepts all numbers.
      const whole = `(number(${of.text}) == ${atLevel(of, level.sum)} || string(${of.text}).matches('^\\\\s*[+-]?[0-9]+\\\\s*$'))`;
      const isNumber = of.kind === 'int' || of.kind === 'number';
      const kind = of.kind === 'int' ? 'int' : 'number';
      return piece(`int(${of.text})`, level.chain, {
        kind,
        guards: isNumber ? guards : [...guards, whole],
        fails: fails || !isNumber,
      });
    }
  }
}

function withBroken(of: Piece, change: (value: JsonValue) => JsonValue): Partial<Piece> {
  return of.broken === undefined ? {} : { broken: change(of.broken) };
}

function asText(of: Piece, at: PythonNode, converter: Converter): Piece {
  if (of.kind === 'string' && !of.nullable) return of;
  if (of.kind !== 'string' && of.kind !== 'int')
    note(converter, at, 'str() of True, a fraction, a list or a dict gives another text in Cadre');
  const text = of.kind === 'string' ? of.text : `string(${of.text})`;
  const whole = of.nullable ? `(${chainText(of)} == null ? 'None' : ${text})` : text;
  return piece(whole, level.chain, { kind: 'string', guards: of.guards, fails: of.fails });
}

const instanceTests: Readonly<Record<string, (text: string) => string>> = {
  str: (text) => `string(${text}) == ${text}`,
  bool: (text) => `(${text} == true || ${text} == false)`,
  int: (text) => `(${text} != null && number(${text}) == ${text})`,
  float: (text) => `(${text} != null && number(${text}) == ${text})`,
  dict: (text) => `json(${text}).startsWith('{')`,
  list: (text) => `json(${text}).startsWith('[')`,
};

function isInstance(node: PythonNode, type: PythonNode, converter: Converter): Piece {
  const of = converter.convert(node, converter);
  const names = type.kind === 'tuple' ? type.items : [type];
  if (of.kind === 'string' && type.kind === 'name' && type.name === 'str' && !of.nullable)
    return piece('true', level.chain, { kind: 'bool', guards: of.guards, fails: of.fails });
  const tests = names.map((name) => {
    const test = name.kind === 'name' && Object.hasOwn(instanceTests, name.name) ? instanceTests[name.name] : undefined;
    if (test === undefined) return unsupported('this type', 'str, bool, int, float, dict and list are converted', name);
    if (name.kind === 'name' && (name.name === 'int' || name.name === 'float'))
      note(converter, name, 'Cadre has one kind of number for whole numbers and fractions');
    return test(atLevel(of, level.chain));
  });
  const text = [...new Set(tests)].join(' || ');
  return piece(text, tests.length > 1 ? level.or : level.compare, { kind: 'bool', guards: of.guards, fails: of.fails });
}

interface TextMethod {
  readonly to: string;
  readonly args: number;
  readonly kind: Kind;
  /** Result for the empty text. */
  readonly ofEmpty?: JsonValue;
}

const textMethods: Readonly<Record<string, TextMethod>> = {
  strip: { to: 'trim', args: 0, kind: 'string', ofEmpty: '' },
  lower: { to: 'lower', args: 0, kind: 'string', ofEmpty: '' },
  upper: { to: 'upper', args: 0, kind: 'string', ofEmpty: '' },
  startswith: { to: 'startsWith', args: 1, kind: 'bool', ofEmpty: false },
  endswith: { to: 'endsWith', args: 1, kind: 'bool', ofEmpty: false },
  replace: { to: 'replace', args: 2, kind: 'string' },
  split: { to: 'split', args: 1, kind: 'list' },
};

function convertMethod(callee: NodeOf<'attribute'>, args: readonly PythonNode[], converter: Converter): Piece {
  const { name } = callee;
  const isJoin = name === 'join' && args.length === 1;
  if (isJoin) return joined(callee.object, args[0] ?? callee, converter);
  const owner = converter.convert(callee.object, converter);
  if (name === 'get') return convertGet(owner, args, { converter, at: callee });
  if ((name === 'keys' || name === 'values') && args.length === 0) return partsOf(name, owner);
  const method = Object.hasOwn(textMethods, name) ? textMethods[name] : undefined;
  if (method === undefined || method.args !== args.length)
    return unsupported(`the method .${name}()`, hintOf(methodHints, name), callee);
  const values = args.map((argument) => converter.convert(argument, converter));
  const odd = values.find((value) => value.literal !== undefined && typeof value.literal !== 'string');
  if (odd !== undefined || values.some(({ kind }) => kind === 'list'))
    return unsupported(`.${name}() with something other than a text`, `write x.${name}('a') or x.${name}('b')`, callee);
  const guards = [...owner.guards, ...notNull(owner), ...values.flatMap((value) => [...value.guards, ...notNull(value)])];
  const fails = owner.fails || owner.kind !== 'string' || values.some((value) => value.fails || value.kind !== 'string');
  const known = brokenBase(owner) !== undefined || owner.guards.length === 0;
  const broken = known && areFilled(values) ? method.ofEmpty : undefined;
  const text = methodText(method.to, owner, values);
  return piece(text, level.chain, { kind: method.kind, guards, fails, ...(broken === undefined ? {} : { broken }) });
}

/** True when the arguments are non-empty literal texts, which the empty text neither starts nor ends with. */
function areFilled(values: readonly Piece[]): boolean {
  return values.every(({ literal }) => typeof literal === 'string' && literal !== '');
}

function methodText(name: string, owner: Piece, values: readonly Piece[]): string {
  const texts = values.map(({ text }) => text);
  if (name === 'lower' || name === 'upper') return `${name}(${owner.bare ?? owner.text})`;
  return `${chainText(owner)}.${name}(${texts.join(', ')})`;
}

function partsOf(name: 'keys' | 'values', owner: Piece): Piece {
  return piece(`${name}(${owner.bare ?? owner.text})`, level.chain, {
    kind: 'list',
    guards: [...owner.guards, ...notNull(owner)],
    fails: owner.fails || owner.kind === 'any',
    ...(brokenBase(owner) !== undefined || owner.guards.length === 0
      ? { broken: null, bare: `${name}(${owner.bare ?? owner.text})` }
      : {}),
  });
}

function joined(separator: PythonNode, list: PythonNode, converter: Converter): Piece {
  const between = converter.convert(separator, converter);
  const of = converter.convert(list, converter);
  if (typeof between.literal !== 'string') return unsupported('.join() of a value', "write ', '.join(list)", separator);
  return piece(`join(${of.bare ?? of.text}, ${between.text})`, level.chain, {
    kind: 'string',
    guards: [...of.guards, ...notNull(of)],
    fails: of.fails || of.kind === 'any',
  });
}
