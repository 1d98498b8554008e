import { contextNames } from '../../src/compat/python/convert-access.ts';
import type { PythonNode } from '../../src/compat/python/syntax.ts';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';

/** The context of an agent as the source system has it. */
export interface PythonContext {
  readonly state: JsonObject;
  readonly meta: JsonObject;
  readonly refs: { readonly team: JsonObject; readonly run: { readonly meta: JsonObject } };
}

/** Error that Python raises: KeyError, TypeError and so on; each makes the condition false. */
class PythonError extends Error {}

type Value = JsonValue;
type Names = Readonly<Record<string, Value>>;

/** True when a condition is truthy in Python and nothing raises. Written for the tests, independent of the converter. */
export function holdsInPython(node: PythonNode, context: PythonContext): boolean {
  try {
    return truth(evaluate(node, context, {}));
  } catch (error) {
    if (error instanceof PythonError) return false;
    throw error;
  }
}

function raise(what: string): never {
  throw new PythonError(what);
}

function truth(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

const isDict = (value: Value | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isList = (value: Value | undefined): value is readonly Value[] => Array.isArray(value);

function same(left: Value, right: Value): boolean {
  if (isList(left) && isList(right)) return left.length === right.length && left.every((item, at) => same(item, right[at] ?? null));
  if (isDict(left) && isDict(right)) {
    const keys = Object.keys(left);
    return (
      keys.length === Object.keys(right).length && keys.every((key) => key in right && same(left[key] ?? null, right[key] ?? null))
    );
  }
  return left === right;
}

function evaluate(node: PythonNode, context: PythonContext, names: Names): Value {
  const value = (each: PythonNode): Value => evaluate(each, context, names);
  switch (node.kind) {
    case 'literal':
      return node.value;
    case 'name':
      if (Object.hasOwn(names, node.name)) return names[node.name] ?? null;
      if (contextNames.has(node.name)) return context as unknown as JsonObject;
      return raise(`NameError ${node.name}`);
    case 'and': {
      const left = value(node.left);
      return truth(left) ? value(node.right) : left;
    }
    case 'or': {
      const left = value(node.left);
      return truth(left) ? left : value(node.right);
    }
    case 'not':
      return !truth(value(node.operand));
    case 'conditional':
      return truth(value(node.test)) ? value(node.then) : value(node.otherwise);
    case 'minus': {
      const operand = value(node.operand);
      return typeof operand === 'number' ? -operand : raise('TypeError');
    }
    case 'arithmetic':
      return arithmetic(node.operator, value(node.left), value(node.right));
    case 'compare':
      return compare(node.operator, value(node.left), value(node.right));
    case 'list':
    case 'tuple':
    case 'set':
      return node.items.map(value);
    case 'dict':
      return Object.fromEntries(node.entries.map(({ key, value: of }) => [String(value(key)), value(of)]));
    case 'index':
      if (node.object.kind === 'name' && node.object.name === 'v') {
        const path = value(node.index);
        return typeof path === 'string' ? (readPath(path, context) ?? null) : raise('TypeError');
      }
      return indexed(value(node.object), value(node.index));
    case 'slice': {
      const object = value(node.object);
      const from = node.from === undefined ? 0 : Number(value(node.from));
      const to = node.to === undefined ? undefined : Number(value(node.to));
      return isList(object) || typeof object === 'string' ? object.slice(from, to) : raise('TypeError');
    }
    case 'comprehension':
      return rounds(node, context, names).map((inside) => evaluate(node.element, context, inside));
    case 'attribute':
      return raise('AttributeError');
    case 'call':
      return call(node, context, names);
  }
}

function readPath(path: string, context: PythonContext): Value | undefined {
  const steps = path.split(/\.(?![^[]*\])/).flatMap((part) => part.split(/(?=\[)/));
  const [first = '', ...rest] = steps;
  const roots: Readonly<Record<string, Value | undefined>> = {
    state: context.state,
    meta: context.meta,
    team: context.refs.team,
    run: context.refs.run.meta,
    flags: context.state['flags'],
    initial_params: context.state['initial_parameters'],
  };
  const isRoot = Object.hasOwn(roots, first);
  let at: Value | undefined = isRoot ? roots[first] : context.state;
  for (const step of isRoot ? rest : steps) {
    const index = /^\[(-?\d+)\]$/.exec(step)?.[1];
    if (index !== undefined) at = isList(at) ? at.at(Number(index)) : undefined;
    else at = isDict(at) ? at[step] : undefined;
    if (at === undefined || at === null) return at;
  }
  return at;
}

function indexed(object: Value, key: Value): Value {
  if (isDict(object) && typeof key === 'string') return Object.hasOwn(object, key) ? (object[key] ?? null) : raise('KeyError');
  if ((isList(object) || typeof object === 'string') && typeof key === 'number') return object.at(key) ?? raise('IndexError');
  return raise('TypeError');
}

function arithmetic(operator: string, left: Value, right: Value): Value {
  if (operator === '+' && typeof left === 'string' && typeof right === 'string') return left + right;
  if (operator === '+' && isList(left) && isList(right)) return [...left, ...right];
  if (typeof left !== 'number' || typeof right !== 'number') return raise('TypeError');
  if (operator === '+') return left + right;
  if (operator === '-') return left - right;
  if (operator === '*') return left * right;
  if (right === 0) return raise('ZeroDivisionError');
  return operator === '/' ? left / right : ((left % right) + right) % right;
}

function compare(operator: string, left: Value, right: Value): boolean {
  switch (operator) {
    case '==':
    case 'is':
      return same(left, right);
    case '!=':
    case 'is not':
      return !same(left, right);
    case 'in':
      return contains(left, right);
    case 'not in':
      return !contains(left, right);
    default: {
      const isNumbers = typeof left === 'number' && typeof right === 'number';
      if (!isNumbers && !(typeof left === 'string' && typeof right === 'string')) return raise('TypeError');
      if (operator === '<') return left < right;
      if (operator === '<=') return left <= right;
      return operator === '>' ? left > right : left >= right;
    }
  }
}

function contains(item: Value, container: Value): boolean {
  if (isList(container)) return container.some((each) => same(each, item));
  if (isDict(container)) return typeof item === 'string' && Object.hasOwn(container, item);
  if (typeof container === 'string' && typeof item === 'string') return container.includes(item);
  return raise('TypeError');
}

function rounds(node: Extract<PythonNode, { readonly kind: 'comprehension' }>, context: PythonContext, names: Names): Names[] {
  return [...lazyRounds(node, context, names)];
}

function* lazyRounds(
  { loop }: Extract<PythonNode, { readonly kind: 'comprehension' }>,
  context: PythonContext,
  names: Names,
): Generator<Names> {
  const [first = '', second] = loop.names;
  for (const item of iterate(evaluate(loop.iterable, context, names))) {
    const pair =
      second === undefined || !isList(item) ? { [first]: item } : { [first]: item[0] ?? null, [second]: item[1] ?? null };
    const inside = { ...names, ...pair };
    if (loop.conditions.every((condition) => truth(evaluate(condition, context, inside)))) yield inside;
  }
}

function iterate(value: Value): readonly Value[] {
  if (isList(value)) return value;
  if (isDict(value)) return Object.keys(value);
  return typeof value === 'string' ? [...value] : raise('TypeError');
}

function call(node: Extract<PythonNode, { readonly kind: 'call' }>, context: PythonContext, names: Names): Value {
  const { callee, args } = node;
  const value = (at: number): Value => {
    const argument = args[at];
    return argument === undefined ? null : evaluate(argument, context, names);
  };
  if (callee.kind === 'attribute')
    return method(
      evaluate(callee.object, context, names),
      callee.name,
      args.map((_, at) => value(at)),
    );
  const name = callee.kind === 'name' ? callee.name : '';
  const [first] = args;
  switch (name) {
    case 'get_nested_value_from_context':
      return (
        readPath(String(value(1)), context) ??
        (args.length > 2 && readPath(String(value(1)), context) === undefined ? value(2) : null)
      );
    case 'any':
    case 'all':
      if (first?.kind === 'comprehension') {
        for (const inside of lazyRounds(first, context, names)) {
          if (truth(evaluate(first.element, context, inside)) === (name === 'any')) return name === 'any';
        }
        return name !== 'any';
      }
      return name === 'any' ? iterate(value(0)).some(truth) : iterate(value(0)).every(truth);
    case 'sum':
      return iterate(value(0)).reduce<number>((total, item) => total + Number(item), 0);
    case 'len': {
      const of = value(0);
      if (typeof of === 'string') return [...of].length;
      return isList(of) ? of.length : isDict(of) ? Object.keys(of).length : raise('TypeError');
    }
    case 'bool':
      return truth(value(0));
    case 'str': {
      const of = value(0);
      return of === null ? 'None' : String(of);
    }
    case 'int': {
      const of = value(0);
      if (typeof of === 'number') return Math.trunc(of);
      return typeof of === 'string' && /^\s*[+-]?\d+\s*$/.test(of) ? Number(of) : raise('ValueError');
    }
    case 'isinstance':
      return typeof value(0) === 'string';
    default:
      return raise(`NameError ${name}`);
  }
}

function method(of: Value, name: string, args: readonly Value[]): Value {
  const [first = null, second = null] = args;
  if (isDict(of)) {
    if (name === 'get') return typeof first === 'string' && Object.hasOwn(of, first) ? (of[first] ?? null) : second;
    if (name === 'values') return Object.values(of).map((value) => value ?? null);
    if (name === 'keys') return Object.keys(of);
    if (name === 'items') return Object.entries(of).map(([key, value]) => [key, value ?? null]);
  }
  if (typeof of !== 'string') return raise('AttributeError');
  if (name === 'strip') return of.trim();
  if (name === 'lower') return of.toLowerCase();
  if (name === 'upper') return of.toUpperCase();
  if (name === 'startswith' || name === 'endswith') {
    if (typeof first !== 'string') return raise('TypeError');
    return name === 'startswith' ? of.startsWith(first) : of.endsWith(first);
  }
  return raise('AttributeError');
}
