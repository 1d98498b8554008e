import { functions } from '../../core/expression/compile/compile-call.ts';
import { parseSource, type SyntaxNode } from '../../core/expression/parse.ts';
import { parsePath } from '../../core/expression/read-path.ts';
import type { JsonSchema, JsonValue } from '../../core/json.ts';
import { type ArgumentValue, compareProblem, functionProblem, type ImpossibleUse } from './impossible-comparison.ts';
import { anything, eitherOf, fieldNames, fieldOf, itemOf, kindsOf, type Shape, valuesOf } from './argument-schema.ts';

/** A read of an argument that a tool does not have. */
export interface MissingArgument {
  /** The whole read: `args.items[0].prize`. */
  readonly path: string;
  /** Its part that is missing. */
  readonly name: string;
  /** What has no such field: `args.items[0]`; and the fields it has. */
  readonly owner: string;
  readonly known: readonly string[];
  /** True when the condition asks whether it is there (`has`, `in`). */
  readonly isAsked: boolean;
}

/** What a condition makes of one tool's arguments. */
export interface ArgumentReads {
  readonly missing: readonly MissingArgument[];
  readonly impossible: readonly ImpossibleUse[];
}

interface Reader {
  readonly root: JsonSchema;
  readonly missing: Map<string, MissingArgument>;
  readonly impossible: Map<string, ImpossibleUse>;
}

type Locals = ReadonlyMap<string, ArgumentValue>;

const root = 'args';
const comparisons: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=', 'in']);

/** Follows a condition over a tool's parameters. */
export function readArguments(source: string, parameters: JsonSchema): ArgumentReads {
  const reader: Reader = { root: parameters, missing: new Map(), impossible: new Map() };
  const parsed = parseSource(source);
  if (parsed.ok) visit(reader, parsed.value, new Map());
  return { missing: [...reader.missing.values()], impossible: [...reader.impossible.values()] };
}

/** Returns what a node may be, and notes what is wrong with it and below it. */
function visit(reader: Reader, node: SyntaxNode, locals: Locals): ArgumentValue {
  switch (node.op) {
    case 'value':
      return { shape: literal(reader, node.args) };
    case 'id':
      return locals.get(node.args) ?? (node.args === root ? { shape: wholeArguments(reader), path: root } : unknown(reader));
    case '.':
      return readField(reader, visit(reader, node.args[0], locals), node.args[1], false);
    case '[]':
      return readIndex(reader, node, locals);
    case 'call':
      return visitCall(reader, node.args[0], node.args[1], locals);
    case 'rcall':
      return visitMethod(reader, node, locals);
    case 'list': {
      const items = node.args.map((item) => visit(reader, item, locals));
      const schemas = items.map(({ shape }) => shape.schema);
      return { shape: eitherOf(reader.root, [{ type: 'array', items: schemas.length === 0 ? true : { anyOf: schemas } }]) };
    }
    case '?:': {
      const [condition, yes, no] = node.args;
      visit(reader, condition, locals);
      return union(reader, visit(reader, yes, locals), visit(reader, no, locals));
    }
    case 'map':
      for (const part of node.args.flat()) visit(reader, part, locals);
      return typed(reader, 'object');
    case '!_':
      visit(reader, node.args, locals);
      return typed(reader, 'boolean');
    case '-_':
      return { ...visit(reader, node.args, locals), shape: numberOf(reader, node) };
    case '.?':
    case '[?]':
      return unknown(reader);
    default:
      return visitOperator(reader, node, locals);
  }
}

type OperatorNode = Extract<
  SyntaxNode,
  { readonly op: '&&' | '||' | '+' | '-' | '*' | '/' | '%' | '<' | '<=' | '>' | '>=' | '==' | '!=' | 'in' }
>;

function visitOperator(reader: Reader, { op, args }: OperatorNode, locals: Locals): ArgumentValue {
  const left = visit(reader, args[0], locals);
  const right = visit(reader, args[1], locals);
  if (op === 'in' && args[0].op === 'value' && typeof args[0].args === 'string' && kindsOf(right.shape)?.has('map') !== false)
    if (right.path !== undefined) readField(reader, right, args[0].args, true);
  if (comparisons.has(op)) note(reader, compareProblem(op, left, right));
  if (comparisons.has(op) || op === '&&' || op === '||') return typed(reader, 'boolean');
  return unknown(reader);
}

function readIndex(reader: Reader, node: Extract<SyntaxNode, { readonly op: '[]' }>, locals: Locals): ArgumentValue {
  const [container, index] = node.args;
  if (container.op === 'id' && container.args === 'v' && !locals.has('v'))
    return index.op === 'value' && typeof index.args === 'string' ? readPath(reader, index.args) : unknown(reader);
  const from = visit(reader, container, locals);
  const key = constantOf(index);
  if (typeof key === 'string') return readField(reader, from, key, false);
  visit(reader, index, locals);
  return typeof key === 'number' ? readItem(reader, from, key) : unknown(reader);
}

/** Reads a path given as text, `v['args.items[0].price']`. */
function readPath(reader: Reader, text: string): ArgumentValue {
  const path = parsePath(text);
  if (path?.first !== root) return unknown(reader);
  let value: ArgumentValue = { shape: wholeArguments(reader), path: root };
  for (const step of path.rest) {
    if (step.kind === 'index') value = readItem(reader, value, step.index);
    else value = readNames(reader, value, step.names);
  }
  return value;
}

/** Reads names one after another; of keys that contain dots, the longest that is declared wins, as at run time. */
function readNames(reader: Reader, value: ArgumentValue, names: readonly string[]): ArgumentValue {
  const [first, ...rest] = names;
  if (first === undefined) return value;
  const known = new Set(fieldNames(value.shape));
  for (let end = names.length; end > 1; end -= 1) {
    const key = names.slice(0, end).join('.');
    if (known.has(key)) return readNames(reader, readField(reader, value, key, false), names.slice(end));
  }
  return readNames(reader, readField(reader, value, first, false), rest);
}

function readField(reader: Reader, from: ArgumentValue, name: string, isAsked: boolean): ArgumentValue {
  if (from.path === undefined) return unknown(reader);
  const path = /^[A-Za-z_]\w*$/.test(name) ? `${from.path}.${name}` : `${from.path}['${name}']`;
  const shape = fieldOf(from.shape, name);
  if (shape !== undefined) return { shape, path };
  const before = reader.missing.get(path);
  const found = { path, name, owner: from.path, known: fieldNames(from.shape), isAsked: isAsked && before?.isAsked !== false };
  reader.missing.set(path, found);
  return unknown(reader);
}

function readItem(reader: Reader, from: ArgumentValue, index: number | undefined): ArgumentValue {
  if (from.path === undefined) return unknown(reader);
  const path = `${from.path}[${index ?? ''}]`;
  return { shape: itemOf(from.shape, index) ?? anything(reader.root), path };
}

function visitCall(reader: Reader, name: string, args: readonly SyntaxNode[], locals: Locals): ArgumentValue {
  const [first] = args;
  if (name === 'has') {
    if (first !== undefined) askFor(reader, first, locals);
    return typed(reader, 'boolean');
  }
  const given = args.map((argument) => visit(reader, argument, locals));
  return called(reader, name, given, args);
}

/** Notes a read by `has(…)`: the last name is asked for, those before it are read. */
function askFor(reader: Reader, node: SyntaxNode, locals: Locals): void {
  if (node.op === '.') readField(reader, visit(reader, node.args[0], locals), node.args[1], true);
  else visit(reader, node, locals);
}

function visitMethod(reader: Reader, node: Extract<SyntaxNode, { readonly op: 'rcall' }>, locals: Locals): ArgumentValue {
  const [name, receiver, args] = node.args;
  const from = visit(reader, receiver, locals);
  const [variable, ...body] = args;
  if (!loops.has(name) || variable?.op !== 'id') {
    const given = [from, ...args.map((argument) => visit(reader, argument, locals))];
    return called(reader, name, given, [receiver, ...args]);
  }
  note(reader, functionProblem(`.${name}()`, ['list', 'map'], from));
  const inner = new Map([...locals, [variable.args, loopItem(reader, from)]]);
  const results = body.map((part) => visit(reader, part, inner));
  if (name === 'filter') return from;
  if (name !== 'map') return typed(reader, 'boolean');
  const result = results.at(-1);
  return result === undefined ? unknown(reader) : { shape: listOf(reader, result.shape), path: result.path };
}

const loops: ReadonlySet<string> = new Set(['map', 'filter', 'all', 'exists', 'exists_one']);

/** Returns the value of a loop variable: an item of a list, or a key of a map. */
function loopItem(reader: Reader, from: ArgumentValue): ArgumentValue {
  const kinds = kindsOf(from.shape);
  if (from.path === undefined || kinds?.has('map') !== false)
    return kinds?.has('list') === false ? typed(reader, 'string') : unknown(reader);
  return readItem(reader, from, undefined);
}

/** Returns what a function makes of its arguments, and notes an argument it cannot take. */
function called(reader: Reader, name: string, given: readonly ArgumentValue[], nodes: readonly SyntaxNode[]): ArgumentValue {
  const [value, second] = given;
  const declared = functions.get(name);
  for (const [index, kind] of (declared?.parameters ?? []).entries()) {
    const argument = given[index];
    const wanted = parameterKinds[kind];
    if (argument !== undefined && wanted !== undefined) note(reader, functionProblem(`${name}()`, [wanted], argument));
  }
  if (value === undefined || declared === undefined) return unknown(reader);
  const key = nodes[1] === undefined ? undefined : constantOf(nodes[1]);
  switch (name) {
    case 'default':
      return second === undefined ? value : union(reader, value, second);
    case 'get': {
      const read = typeof key === 'string' ? readField(reader, value, key, given.length === 3) : unknown(reader);
      return given[2] === undefined ? read : union(reader, read, given[2]);
    }
    case 'contains':
      if (typeof key === 'string' && kindsOf(value.shape)?.has('text') === false && kindsOf(value.shape)?.has('map') === true)
        readField(reader, value, key, true);
      return typed(reader, 'boolean');
    case 'first':
    case 'last':
      return readItem(reader, value, name === 'first' ? 0 : -1);
    case 'values':
      return { shape: listOf(reader, valuesOf(value.shape)), path: value.path };
    case 'dyn':
    case 'slice':
    case 'unique':
    case 'sort':
      return value;
    default:
      return resultTypes[declared.returns] === undefined ? unknown(reader) : typed(reader, resultTypes[declared.returns] ?? '');
  }
}

const parameterKinds = { number: 'number', string: 'text', list: 'list', map: 'map', any: undefined } as const;
const resultTypes: Readonly<Record<string, string>> = { bool: 'boolean', int: 'number', number: 'number', string: 'string' };

function note(reader: Reader, problem: ImpossibleUse | undefined): void {
  if (problem !== undefined) reader.impossible.set(problem.message, problem);
}

function wholeArguments({ root: schema }: Reader): Shape {
  return { schema, root: schema };
}

function unknown({ root: schema }: Reader): ArgumentValue {
  return { shape: anything(schema) };
}

function typed({ root: schema }: Reader, type: string): ArgumentValue {
  return { shape: eitherOf(schema, [{ type }]) };
}

function listOf({ root: schema }: Reader, items: Shape): Shape {
  return eitherOf(schema, [{ type: 'array', items: items.schema }]);
}

function union({ root: schema }: Reader, one: ArgumentValue, other: ArgumentValue): ArgumentValue {
  return { shape: eitherOf(schema, [one.shape.schema, other.shape.schema]), path: one.path ?? other.path };
}

function literal({ root: schema }: Reader, value: unknown): Shape {
  const plain = typeof value === 'bigint' || typeof value === 'number' ? Number(value) : value;
  const isPlain = plain === null || typeof plain === 'string' || typeof plain === 'number' || typeof plain === 'boolean';
  return isPlain ? eitherOf(schema, [{ const: plain satisfies JsonValue }]) : anything(schema);
}

function numberOf(reader: Reader, node: SyntaxNode): Shape {
  const constant = constantOf(node);
  return typeof constant === 'number' ? literal(reader, constant) : typed(reader, 'number').shape;
}

/** Returns a text or number that is written in the source. */
function constantOf(node: SyntaxNode): string | number | undefined {
  if (node.op === '-_') {
    const value = constantOf(node.args);
    return typeof value === 'number' ? -value : undefined;
  }
  if (node.op !== 'value') return undefined;
  if (typeof node.args === 'bigint') return Number(node.args);
  return typeof node.args === 'string' || typeof node.args === 'number' ? node.args : undefined;
}
