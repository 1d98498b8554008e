import { closestName } from '../closest-name.ts';
import { compileLoop, isLoop } from './compile-loop.ts';
import { innerRange, readKeys, readRoot, toChain } from './compile-path.ts';
import {
  broken,
  findLocal,
  mayBe,
  report,
  siteOf,
  valueRun,
  type Compiled,
  type Compiler,
  type Locals,
  type Run,
} from './compiler.ts';
import { isForbiddenKey, isList, isMap, kindOf } from '../data.ts';
import { CadreError } from '../../error.ts';
import { failure, type Evaluation, type Site } from '../evaluation.ts';
import type { ExpressionFunction, ParameterKind } from '../functions/function.ts';
import { callHint, methodHint } from '../habits.ts';
import type { SyntaxNode } from '../parse.ts';
import { compilePattern, searchPattern, regexFunction } from '../functions/regex-function.ts';
import { listFunctions } from '../functions/list-functions.ts';
import { textFunctions } from '../functions/text-functions.ts';
import { valueFunctions } from '../functions/value-functions.ts';

type CallNode = Extract<SyntaxNode, { readonly op: 'call' }>;
type MethodNode = Extract<SyntaxNode, { readonly op: 'rcall' }>;

/** Compiles `name(…)`. */
export function compileCall(compiler: Compiler, node: CallNode, locals: Locals | undefined): Compiled {
  const [name, args] = node.args;
  if (name === 'has') return compileHas(compiler, node, locals);
  const range = { start: node.start, end: node.start + name.length };
  const called = functions.get(name);
  if (called === undefined || called.methodOnly === true) return reportFunction(compiler, name, range);
  return compileArguments(compiler, { node, called, args, range }, locals);
}

/** Compiles `receiver.name(…)`: a loop, or a function whose first argument is the receiver. */
export function compileMethod(compiler: Compiler, node: MethodNode, locals: Locals | undefined): Compiled {
  const [name, receiver, args] = node.args;
  if (isLoop(name)) return compileLoop(compiler, node, locals);
  const called = functions.get(name);
  const start = compiler.source.indexOf(name, receiver.end);
  const range = { start, end: start + name.length };
  if (called === undefined || !(called.method === true || called.methodOnly === true)) return reportMethod(compiler, name, range);
  return compileArguments(compiler, { node, called, args: [receiver, ...args], range }, locals);
}

/** A call of a function; `range` is that of its name. */
interface FunctionCall {
  readonly node: SyntaxNode;
  readonly called: ExpressionFunction;
  readonly args: readonly SyntaxNode[];
  readonly range: { readonly start: number; readonly end: number };
}

function compileArguments(compiler: Compiler, call: FunctionCall, locals: Locals | undefined): Compiled {
  const { node, called, args: nodes, range } = call;
  const { name, parameters } = called;
  const least = parameters.length - (called.optional ?? 0);
  if (nodes.length < least || nodes.length > parameters.length) {
    const count = least === parameters.length ? `${least}` : `${least} to ${parameters.length}`;
    return report(compiler, range, `\`${name}\` takes ${count} arguments, not ${nodes.length}`, `write \`${usageOf(called)}\``);
  }
  const problemsBefore = compiler.problems.length;
  const args = nodes.map((argument) => compiler.compile(argument, locals));
  for (const [index, argument] of args.entries()) {
    const kind = parameters[index] ?? 'any';
    const at = nodes[index];
    if (at === undefined || kind === 'any' || mayBe(argument.type, kind, kind === 'number' ? kind : 'null')) continue;
    report(compiler, at, `\`${name}\` takes a ${kind} here, not a ${argument.type}`, `write \`${usageOf(called)}\``);
  }
  if (compiler.problems.length > problemsBefore) return broken;
  const site = siteOf(compiler, node);
  const pattern = nodes[1];
  const asks = called.asksIfThere ?? [];
  const values = args.map((argument, index): Compiled => {
    const at = nodes[index];
    return at === undefined || asks.includes(index) ? argument : { ...argument, run: valueRun(compiler, argument, at) };
  });
  if (name === 'matches' && pattern?.op === 'value' && typeof pattern.args === 'string') {
    return compileMatches(compiler, { node: pattern, source: pattern.args }, toArgument(values[0], { kind: 'string', name, site }));
  }
  const runs = values.map((argument, index) => toArgument(argument, { kind: parameters[index] ?? 'any', name, site }));
  const passed = args[called.passes?.(args.length) ?? -1];
  const required = passed?.required === undefined ? undefined : compiler.source.slice(node.start, node.end);
  return { run: callWith(called, runs, site), type: called.returns, required };
}

function callWith(called: ExpressionFunction, runs: readonly Run[], site: Site): Run {
  return (evaluation) => {
    const args: unknown[] = [];
    for (const run of runs) args.push(run(evaluation));
    try {
      return called.run(args, evaluation);
    } catch (error) {
      // A function does not know its place in the source; a failure that already has a place keeps it.
      if (error instanceof CadreError && error.details['source'] === undefined) throw failure(error.message, site);
      throw error;
    }
  };
}

function toArgument(
  argument: Compiled | undefined,
  { kind, name, site }: { readonly kind: ParameterKind; readonly name: string; readonly site: Site },
): Run {
  const run: Run = argument?.run ?? (() => null);
  if (kind === 'any') return run;
  const fits = (value: unknown): boolean => {
    if (kind === 'list') return isList(value);
    return kind === 'map' ? isMap(value) : typeof value === kind;
  };
  return (evaluation: Evaluation) => {
    const value = run(evaluation);
    if (fits(value)) return value;
    if (value === null && kind !== 'number') return emptyOf(kind);
    throw failure(`${name}() takes a ${kind}, not a ${kindOf(value)}`, site);
  };
}

function emptyOf(kind: ParameterKind): unknown {
  if (kind === 'list') return [];
  return kind === 'map' ? {} : '';
}

function compileMatches(
  compiler: Compiler,
  { node, source }: { readonly node: SyntaxNode; readonly source: string },
  text: Run,
): Compiled {
  const pattern = compilePattern(source);
  if (typeof pattern === 'string')
    return report(compiler, innerRange(node, source), pattern, 'patterns have RE2 syntax: no lookaround, no backreferences');
  const run = (evaluation: Evaluation): boolean => {
    const value = text(evaluation);
    return typeof value === 'string' && searchPattern(pattern, value, evaluation);
  };
  return { run, type: 'bool' };
}

/** Compiles `has(path)`: true when the last key of the path exists, even with the value null. */
function compileHas(compiler: Compiler, node: CallNode, locals: Locals | undefined): Compiled {
  const [argument] = node.args[1];
  const { base, keys } = argument === undefined ? { base: node, keys: [] } : toChain(argument);
  const last = keys.at(-1);
  if (last === undefined || (typeof last.key === 'string' && isForbiddenKey(last.key))) {
    return report(compiler, node, '`has` takes a path such as `flags.n`', "for other values compare with null: `v['a.b'] != null`");
  }
  const root = base.op === 'id' && findLocal(locals, base.args) === undefined ? base.args : undefined;
  // Compiling the whole path checks its names and records it as read.
  if (argument === undefined || compiler.compile(argument, locals) === broken) return broken;
  const start: Run = root === undefined ? compiler.compile(base, locals).run : ({ scope }) => readRoot(scope, root);
  const owner = readKeys(start, keys.slice(0, -1));
  const key = String(last.key);
  return { run: (evaluation) => holds(owner(evaluation), key), type: 'bool' };
}

function holds(owner: unknown, key: string): boolean {
  if (typeof owner !== 'object' || owner === null || (isList(owner) && key === 'length')) return false;
  return Object.hasOwn(owner, key) && (owner as Readonly<Record<string, unknown>>)[key] !== undefined;
}

function reportFunction(compiler: Compiler, name: string, range: { readonly start: number; readonly end: number }): Compiled {
  const names = [...functions.values()].filter((each) => each.methodOnly !== true).map((each) => each.name);
  const close = closestName(name, names);
  const method = isLoop(name) || functions.get(name)?.methodOnly === true ? `write \`x.${name}(…)\`` : undefined;
  const meant = callHint(name) ?? method ?? (close === undefined ? undefined : `did you mean \`${close}\`?`);
  return report(compiler, range, `unknown function \`${name}\``, meant ?? `functions: ${names.toSorted().join(', ')}, has`);
}

function reportMethod(compiler: Compiler, name: string, range: { readonly start: number; readonly end: number }): Compiled {
  const methods = [...functions.values()]
    .filter((each) => each.method === true || each.methodOnly === true)
    .map((each) => each.name);
  const names = [...methods, 'map', 'filter', 'all', 'exists', 'exists_one'];
  const close = closestName(name, names);
  const asFunction = functions.get(name);
  const meant =
    methodHint(name) ??
    (asFunction === undefined ? undefined : `write \`${usageOf(asFunction)}\``) ??
    (close === undefined ? undefined : `did you mean \`${close}\`?`);
  return report(compiler, range, `unknown method \`${name}\``, meant ?? `methods: ${names.toSorted().join(', ')}`);
}

function usageOf(called: ExpressionFunction): string {
  const names = called.parameters
    .map((kind, index) => (index === 0 && called.methodOnly === true ? '' : kind === 'any' ? 'x' : kind))
    .filter((name) => name !== '');
  return `${called.methodOnly === true ? 'text.' : ''}${called.name}(${names.join(', ')})`;
}

/** Every function of the language by name. */
export const functions: ReadonlyMap<string, ExpressionFunction> = new Map(
  [...valueFunctions, ...listFunctions, ...textFunctions, regexFunction].map((each) => [each.name, each]),
);
