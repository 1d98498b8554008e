import { report, siteOf, mayBe, valueRun, type Compiled, type Compiler, type Locals, type Run } from './compiler.ts';
import { isList, isMap, isTruthy, kindOf, toData } from '../data.ts';
import { failure, type Evaluation, type Site } from '../evaluation.ts';
import type { SyntaxNode } from '../parse.ts';

type MethodNode = Extract<SyntaxNode, { readonly op: 'rcall' }>;

const usage: Readonly<Record<string, string>> = {
  map: 'list.map(x, value) or list.map(x, condition, value)',
  filter: 'list.filter(x, condition)',
  all: 'list.all(x, condition)',
  exists: 'list.exists(x, condition)',
  exists_one: 'list.exists_one(x, condition)',
};

/** True when a method is a loop over its receiver. */
export function isLoop(name: string): boolean {
  return Object.hasOwn(usage, name);
}

/** Compiles `map`, `filter`, `all`, `exists` and `exists_one` over a list, over a map's keys, or over null as an empty list. */
export function compileLoop(compiler: Compiler, node: MethodNode, locals: Locals | undefined): Compiled {
  const [name, receiver, args] = node.args;
  const [variable, second, third] = args;
  const counts = name === 'map' ? [2, 3] : [2];
  if (variable?.op !== 'id' || second === undefined || !counts.includes(args.length)) {
    return report(compiler, node, `\`${name}\` is not called this way`, `write \`${usage[name] ?? name}\``);
  }
  const range = compiler.compile(receiver, locals);
  if (!mayBe(range.type, 'list', 'map', 'null')) return report(compiler, receiver, `cannot loop over a ${range.type}`);
  const slot = locals === undefined ? 0 : locals.slot + 1;
  compiler.slotCount = Math.max(compiler.slotCount, slot + 1);
  const required = range.required === undefined ? undefined : variable.args;
  const inner: Locals = { name: variable.args, slot, required, outer: locals };
  const compiledBody = compiler.compile(second, inner);
  const compiledResult = third === undefined ? undefined : compiler.compile(third, inner);
  const body = compiledBody.run;
  const result = compiledResult?.run;
  const loop: Loop = {
    range: valueRun(compiler, range, receiver),
    slot,
    cost: 1 + countNodes(second) + (third === undefined ? 0 : countNodes(third)),
    site: siteOf(compiler, node),
  };
  switch (name) {
    case 'map':
      return {
        run: result === undefined ? mapLoop(loop, undefined, body) : mapLoop(loop, body, result),
        type: 'list',
        required: (compiledResult ?? compiledBody).required,
      };
    case 'filter':
      return { run: mapLoop(loop, body, undefined), type: 'list', required: range.required };
    case 'exists_one':
      return { run: (evaluation) => count(loop, body, evaluation) === 1, type: 'bool' };
    default:
      return { run: decide(loop, body, name === 'exists'), type: 'bool' };
  }
}

interface Loop {
  readonly range: Run;
  readonly slot: number;
  /** Steps that one round costs. Inner loops charge extra. */
  readonly cost: number;
  readonly site: Site;
}

function mapLoop(loop: Loop, condition: Run | undefined, value: Run | undefined): Run {
  return (evaluation) => {
    const results: unknown[] = [];
    for (const item of items(loop, evaluation)) {
      enter(loop, item, evaluation);
      if (condition !== undefined && !isTruthy(condition(evaluation))) continue;
      results.push(value === undefined ? toData(item) : value(evaluation));
    }
    return results;
  };
}

function count(loop: Loop, condition: Run, evaluation: Evaluation): number {
  let matches = 0;
  for (const item of items(loop, evaluation)) {
    enter(loop, item, evaluation);
    if (isTruthy(condition(evaluation))) matches += 1;
  }
  return matches;
}

/** Searches for the wanted truth value: true for `exists`, false for `all`. As in CEL, finding it outweighs failures in other rounds. */
function decide(loop: Loop, condition: Run, wanted: boolean): Run {
  return (evaluation) => {
    let failed: { readonly error: unknown } | undefined;
    for (const item of items(loop, evaluation)) {
      enter(loop, item, evaluation);
      try {
        if (isTruthy(condition(evaluation)) === wanted) return wanted;
      } catch (error) {
        if (evaluation.exhausted) throw error;
        failed ??= { error };
      }
    }
    if (failed !== undefined) throw failed.error;
    return !wanted;
  };
}

function enter(loop: Loop, item: unknown, evaluation: Evaluation): void {
  evaluation.charge(loop.cost);
  evaluation.slots[loop.slot] = toData(item);
}

function items(loop: Loop, evaluation: Evaluation): readonly unknown[] {
  const range = loop.range(evaluation);
  if (range === null) return [];
  if (isList(range)) return range;
  if (isMap(range)) {
    const keys = Object.keys(range);
    evaluation.charge(keys.length >> 3);
    return keys;
  }
  throw failure(`cannot loop over a ${kindOf(range)}`, loop.site);
}

function countNodes(node: SyntaxNode): number {
  switch (node.op) {
    case 'value':
    case 'id':
      return 1;
    case '.':
    case '.?':
      return 1 + countNodes(node.args[0]);
    case '!_':
    case '-_':
      return 1 + countNodes(node.args);
    case 'call':
      return 1 + sum(node.args[1]);
    case 'rcall':
      return 1 + countNodes(node.args[1]) + sum(node.args[2]);
    case 'map':
      return 1 + sum(node.args.flat());
    default:
      return 1 + sum(node.args);
  }
}

function sum(nodes: readonly SyntaxNode[]): number {
  return nodes.reduce((total, node) => total + countNodes(node), 0);
}
