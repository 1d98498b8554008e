import { parseSource, type SyntaxNode } from '../../core/expression/parse.ts';

/** Kinds of values that comparisons should not mix. */
export type ValueKind = 'number' | 'text' | 'truth value';

/** One comparison in a condition: the path it reads, the texts it compares with, and the kinds of both sides. */
export interface Comparison {
  /** Path on one side; absent when neither side is a path. */
  readonly path: string | undefined;
  readonly texts: readonly string[];
  readonly kinds: readonly [ValueKind | undefined, ValueKind | undefined];
}

type Kinds = ReadonlyMap<string, ValueKind>;

const numbers =
  /^(?:(?:state\.)?counters\.\w+|state\.(?:turn_count|iteration|context_tokens)|meta\.depth|run\.(?:created_at|now|tokens_left|cost_left|iteration))$/;
const texts =
  /^(?:meta\.(?:agent_id|profile|type|run_id)|run\.(?:run_id|run_type|status)|state\.status|turn\.finish_reason|state\.current_action\.tool_name)$/;
const compares: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);

/** Lists the comparisons in a condition, including `in` with a literal list; `kinds` gives the kinds of values at state paths. */
export function comparisonsOf(source: string, kinds: Kinds): readonly Comparison[] {
  const parsed = parseSource(source);
  const found: Comparison[] = [];
  if (parsed.ok) visit(parsed.value, kinds, found);
  return found;
}

/** Returns the kind of a plain value; undefined for null, lists and maps. */
export function kindOfValue(value: unknown): ValueKind | undefined {
  switch (typeof value) {
    case 'string':
      return 'text';
    case 'number':
    case 'bigint':
      return 'number';
    case 'boolean':
      return 'truth value';
    default:
      return undefined;
  }
}

function visit(node: SyntaxNode, kinds: Kinds, found: Comparison[]): void {
  const sides = childrenOf(node.args);
  const [left, right] = sides;
  if (left !== undefined && right !== undefined) {
    if (compares.has(node.op)) found.push(compare(left, right, kinds));
    if (node.op === 'in' && right.op === 'list') for (const item of right.args) found.push(compare(left, item, kinds));
  }
  for (const side of sides) visit(side, kinds, found);
}

function compare(left: SyntaxNode, right: SyntaxNode, kinds: Kinds): Comparison {
  const literals = [left, right].flatMap((side) => (side.op === 'value' && typeof side.args === 'string' ? [side.args] : []));
  return { path: pathOf(left) ?? pathOf(right), texts: literals, kinds: [kindOf(left, kinds), kindOf(right, kinds)] };
}

/** Returns the nodes among a node's arguments, including those inside nested lists. */
function childrenOf(args: unknown): readonly SyntaxNode[] {
  if (Array.isArray(args)) return args.flatMap(childrenOf);
  return typeof args === 'object' && args !== null && 'op' in args ? [args as SyntaxNode] : [];
}

/** Returns the path a node reads, `default(path, x)` and `v['path']` included; undefined for any other node. */
function pathOf(node: SyntaxNode): string | undefined {
  if (node.op === 'id') return node.args;
  if (node.op === '.') {
    const [base, key] = node.args;
    const before = pathOf(base);
    return before === undefined ? undefined : `${before}.${key}`;
  }
  if (node.op === '[]') {
    const [base, key] = node.args;
    return base.op === 'id' && base.args === 'v' && key.op === 'value' && typeof key.args === 'string' ? key.args : undefined;
  }
  if (node.op !== 'call') return undefined;
  const [name, [first]] = node.args;
  return name === 'default' && first !== undefined ? pathOf(first) : undefined;
}

function kindOf(node: SyntaxNode, kinds: Kinds): ValueKind | undefined {
  if (node.op === 'value') return kindOfValue(node.args);
  if (node.op === 'call' && node.args[0] === 'size') return 'number';
  if (node.op === 'call' && node.args[0] === 'string') return 'text';
  const path = pathOf(node);
  if (path === undefined) return undefined;
  if (numbers.test(path)) return 'number';
  return texts.test(path) ? 'text' : kinds.get(path.replace(/^state\./, ''));
}
