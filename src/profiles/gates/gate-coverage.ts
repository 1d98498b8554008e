import { parseSource, type SyntaxNode } from '../../core/expression/parse.ts';
import type { ToolGate } from '../../core/profile/profile.ts';

/** True when every call for which one condition holds is one for which another holds; without a condition, all calls. */
export function implies(condition: ToolGate['condition'], other: ToolGate['condition']): boolean {
  if (other === undefined) return true;
  const general = parseSource(other.source);
  if (!general.ok) return false;
  if (condition === undefined) return isAlways(general.value);
  const special = parseSource(condition.source);
  return special.ok && followsFrom(special.value, general.value, 64);
}

function isAlways(node: SyntaxNode): boolean {
  return node.op === 'value' && node.args === true;
}

/** True when `general` surely holds where `special` does: by its form, and by the bounds of numbers. */
function followsFrom(special: SyntaxNode, general: SyntaxNode, steps: number): boolean {
  if (steps === 0) return false;
  const next = (one: SyntaxNode, other: SyntaxNode): boolean => followsFrom(one, other, steps - 1);
  if (isAlways(general) || textOf(special) === textOf(general)) return true;
  if (special.op === '||') return next(special.args[0], general) && next(special.args[1], general);
  if (general.op === '&&') return next(special, general.args[0]) && next(special, general.args[1]);
  if (special.op === '&&' && (next(special.args[0], general) || next(special.args[1], general))) return true;
  if (general.op === '||') return next(special, general.args[0]) || next(special, general.args[1]);
  return isWithin(boundOf(special), boundOf(general));
}

/** A comparison of something with a number: `args.euros > 300`. */
interface Bound {
  readonly of: string;
  readonly operator: '<' | '<=' | '>' | '>=' | '==';
  readonly value: number;
}

const mirrored = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '==': '==' } as const;

function boundOf(node: SyntaxNode): Bound | undefined {
  if (node.op !== '<' && node.op !== '<=' && node.op !== '>' && node.op !== '>=' && node.op !== '==') return undefined;
  const [left, right] = node.args;
  const [leftNumber, rightNumber] = [numberOf(left), numberOf(right)];
  if (rightNumber !== undefined) return { of: textOf(left), operator: node.op, value: rightNumber };
  return leftNumber === undefined ? undefined : { of: textOf(right), operator: mirrored[node.op], value: leftNumber };
}

function isWithin(special: Bound | undefined, general: Bound | undefined): boolean {
  if (special === undefined || general?.of !== special.of) return false;
  const [least, most] = [general.operator.startsWith('>'), general.operator.startsWith('<')];
  const isStrict = general.operator === '<' || general.operator === '>';
  const isOpen = special.operator === '<' || special.operator === '>';
  const isSameSide = special.operator === '==' || special.operator[0] === general.operator[0];
  if (!isSameSide || !(least || most)) return false;
  if (special.value === general.value) return !isStrict || isOpen;
  return least ? special.value > general.value : special.value < general.value;
}

function numberOf(node: SyntaxNode): number | undefined {
  if (node.op === '-_') {
    const value = numberOf(node.args);
    return value === undefined ? undefined : -value;
  }
  return node.op === 'value' && (typeof node.args === 'number' || typeof node.args === 'bigint') ? Number(node.args) : undefined;
}

/** Returns the same text for the same expression, however it is spaced. */
function textOf(node: SyntaxNode): string {
  return JSON.stringify([node.op, partsOf(node.args)]);
}

function partsOf(args: unknown): unknown {
  if (Array.isArray(args)) return args.map(partsOf);
  if (typeof args === 'bigint') return Number(args);
  return typeof args === 'object' && args !== null && 'op' in args ? textOf(args as SyntaxNode) : args;
}
