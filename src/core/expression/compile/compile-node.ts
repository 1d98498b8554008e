import { compileAccessor } from './compile-accessor.ts';
import { compileCall, compileMethod } from './compile-call.ts';
import { compileBinary, compileLogical, compileMinus } from './compile-operator.ts';
import { ACCESSOR, compileChain, toChain } from './compile-path.ts';
import { findLocal, report, valueRun, type Compiled, type Compiler, type Locals, type Run } from './compiler.ts';
import { isForbiddenKey, isTruthy, readKey } from '../data.ts';
import { failure, type Evaluation } from '../evaluation.ts';
import type { SyntaxNode } from '../parse.ts';

/** Compiles a syntax node into a closure; problems are reported to the compiler, and checking continues. */
export function compileNode(compiler: Compiler, node: SyntaxNode, locals: Locals | undefined): Compiled {
  switch (node.op) {
    case 'value':
      return compileValue(compiler, node);
    case 'id': {
      const local = findLocal(locals, node.args);
      return local === undefined ? compileChain(compiler, { base: node, keys: [] }, locals) : readSlot(local);
    }
    case '.':
      return compileChain(compiler, toChain(node), locals);
    case '[]':
      return compileIndex(compiler, node, locals);
    case 'call':
      return compileCall(compiler, node, locals);
    case 'rcall':
      return compileMethod(compiler, node, locals);
    case 'list':
      return compileList(compiler, node, locals);
    case 'map':
      return compileMap(compiler, node, locals);
    case '?:':
      return compileConditional(compiler, node, locals);
    case '||':
    case '&&': {
      const [left, right] = node.args;
      return compileLogical(compiler.compile(left, locals).run, compiler.compile(right, locals).run, node.op === '||');
    }
    case '!_': {
      const { run } = compiler.compile(node.args, locals);
      return { run: (evaluation) => !isTruthy(run(evaluation)), type: 'bool' };
    }
    case '-_':
      return compileMinus(compiler, node, locals);
    case '.?':
    case '[?]':
      return report(compiler, node, 'optional reads are not supported', 'write `.`: a field of null is null');
    default:
      return compileBinary(compiler, node, locals);
  }
}

function readSlot({ slot, required }: Locals): Compiled {
  return { run: ({ slots }) => slots[slot], type: 'any', required };
}

function compileValue(compiler: Compiler, node: Extract<SyntaxNode, { readonly op: 'value' }>): Compiled {
  const value = node.args;
  if (value === null) return { run: () => null, type: 'null' };
  if (typeof value === 'string') return { run: () => value, type: 'string' };
  if (typeof value === 'boolean') return { run: () => value, type: 'bool' };
  if (typeof value === 'number') return { run: () => value, type: 'number' };
  if (typeof value === 'object' && 'byteLength' in value)
    return report(compiler, node, 'bytes are not supported', "write a text: 'text'");
  const whole = Number(value.valueOf());
  if (!Number.isSafeInteger(whole)) return report(compiler, node, 'the number is too large to be exact');
  return { run: () => whole, type: 'int' };
}

function compileIndex(compiler: Compiler, node: Extract<SyntaxNode, { readonly op: '[]' }>, locals: Locals | undefined): Compiled {
  const [container, index] = node.args;
  if (container.op === 'id' && container.args === ACCESSOR && findLocal(locals, ACCESSOR) === undefined) {
    return compileAccessor(compiler, node, locals);
  }
  const chain = toChain(node);
  if (chain.keys.length > 0) return compileChain(compiler, chain, locals);
  const { run: from, required } = compiler.compile(container, locals);
  const key = valueRun(compiler, compiler.compile(index, locals), index);
  const text = required === undefined ? undefined : compiler.source.slice(node.start, node.end);
  return { run: (evaluation) => readKey(from(evaluation), key(evaluation)), type: 'any', required: text };
}

function compileList(compiler: Compiler, node: Extract<SyntaxNode, { readonly op: 'list' }>, locals: Locals | undefined): Compiled {
  const runs = node.args.map((item) => valueRun(compiler, compiler.compile(item, locals), item));
  return { run: (evaluation) => runs.map((run) => run(evaluation)), type: 'list' };
}

function compileMap(compiler: Compiler, node: Extract<SyntaxNode, { readonly op: 'map' }>, locals: Locals | undefined): Compiled {
  const entries = node.args.map(([keyNode, valueNode]) => {
    if (keyNode.op === 'value' && typeof keyNode.args === 'string' && isForbiddenKey(keyNode.args)) {
      report(compiler, keyNode, `\`${keyNode.args}\` cannot be a key`);
    }
    const value = valueRun(compiler, compiler.compile(valueNode, locals), valueNode);
    return [keyRun(compiler.compile(keyNode, locals).run, compiler.source, keyNode), value] as const;
  });
  const run = (evaluation: Evaluation): unknown => {
    const map: Record<string, unknown> = {};
    for (const [key, value] of entries) map[key(evaluation)] = value(evaluation);
    return map;
  };
  return { run, type: 'map' };
}

function keyRun(run: Run, source: string, node: SyntaxNode): (evaluation: Evaluation) => string {
  return (evaluation) => {
    const key = run(evaluation);
    if (typeof key === 'number' || typeof key === 'boolean') return String(key);
    // Checked before the assignment: `__proto__` would set the prototype.
    if (typeof key === 'string' && !isForbiddenKey(key)) return key;
    throw failure('this cannot be a key of a map', { source, start: node.start, end: node.end });
  };
}

function compileConditional(
  compiler: Compiler,
  node: Extract<SyntaxNode, { readonly op: '?:' }>,
  locals: Locals | undefined,
): Compiled {
  const [condition, then, otherwise] = node.args;
  const test = compiler.compile(condition, locals).run;
  const yes = compiler.compile(then, locals);
  const no = compiler.compile(otherwise, locals);
  return {
    run: (evaluation) => (isTruthy(test(evaluation)) ? yes.run(evaluation) : no.run(evaluation)),
    type: yes.type === no.type ? yes.type : 'any',
    required: yes.required ?? no.required,
  };
}
