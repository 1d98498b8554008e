import { compileExpression, type ExpressionRoots } from '../../core/expression/expression.ts';
import { convertArithmetic, convertCompare } from './convert-compare.ts';
import { convertIndex, convertName, convertSlice } from './convert-access.ts';
import { convertCall } from './convert-call.ts';
import { convertComprehension } from './convert-loop.ts';
import { convertFinal, convertLogic } from './convert-logic.ts';
import type { Converter, Note, Phase } from './converter.ts';
import { atLevel, level, literalText, piece, unsupported, type Kind, type Piece } from './piece.ts';
import { parsePython } from './parse-python.ts';
import { PythonProblem, type NodeOf, type PythonNode } from './syntax.ts';

/** Options of converting a condition. */
export interface ConditionOptions {
  readonly phase: Phase;
  /** First segments of `state` paths that observers of the tree set. */
  readonly ownState: ReadonlySet<string>;
  /** Roots that the result may read. */
  readonly roots: ExpressionRoots;
}

/** Converted condition in CEL, or the reason why part of it cannot be converted, with an offset into the source. */
export type ConvertedCondition =
  | { readonly ok: true; readonly text: string; readonly notes: readonly Note[] }
  | { readonly ok: false; readonly problem: string; readonly hint: string; readonly start: number };

/**
 * Converts a Python condition to CEL. The result is true in exactly the states in which the source is truthy without raising,
 * provided that values have the kinds the condition uses them as, or are missing; notes list other differences.
 */
export function convertCondition(source: string, options: ConditionOptions): ConvertedCondition {
  const notes: Note[] = [];
  const { phase, ownState, roots } = options;
  const converter: Converter = { phase, ownState, notes, locals: new Map(), convert: convertNode, convertFinal };
  try {
    const { text } = convertFinal(parsePython(source), converter);
    const compiled = compileExpression(text, roots);
    if (compiled.ok) return { ok: true, text, notes: unique(notes) };
    const [problem] = compiled.problems;
    return {
      ok: false,
      problem: problem?.message ?? 'the result is not an expression',
      hint: problem?.hint ?? 'write it in CEL',
      start: 0,
    };
  } catch (thrown) {
    if (!(thrown instanceof PythonProblem)) throw thrown;
    return { ok: false, problem: thrown.message, hint: thrown.hint, start: thrown.start };
  }
}

function unique(notes: readonly Note[]): readonly Note[] {
  const seen = new Set<string>();
  return notes.filter(({ message }) => !seen.has(message) && seen.add(message));
}

function convertNode(node: PythonNode, converter: Converter): Piece {
  switch (node.kind) {
    case 'literal':
      return literal(node);
    case 'name':
      return convertName(node, converter);
    case 'attribute':
      return unsupported(`.${node.name} of a value`, `read fields with .get('${node.name}')`, node);
    case 'call':
      return convertCall(node, converter);
    case 'index':
      return convertIndex(node, converter);
    case 'slice':
      return convertSlice(node, converter);
    case 'not':
    case 'and':
    case 'or':
    case 'conditional':
      return convertLogic(node, converter);
    case 'minus':
    case 'arithmetic':
      return convertArithmetic(node, converter);
    case 'compare':
      return convertCompare(node, converter);
    case 'comprehension':
      return convertComprehension(node, converter);
    case 'list':
      return list(node, converter);
    case 'dict':
      return dict(node, converter);
    case 'tuple':
    case 'set':
      return unsupported(`a ${node.kind} as a value`, 'write a list; after `in` it is converted', node);
  }
}

const kinds: Readonly<Record<string, Kind>> = { string: 'string', boolean: 'bool' };

function literal(node: NodeOf<'literal'>): Piece {
  const { value } = node;
  const kind = typeof value === 'number' ? (node.isFloat === true ? 'number' : 'int') : (kinds[typeof value] ?? 'any');
  return piece(literalText(value, node.isFloat), level.chain, { kind, literal: value, nullable: value === null });
}

function list(node: NodeOf<'list' | 'tuple' | 'set'>, converter: Converter): Piece {
  const items = node.items.map((item) => converter.convert(item, converter));
  const literals = items.map((item) => item.literal);
  return piece(`[${items.map(({ text }) => text).join(', ')}]`, level.chain, {
    kind: 'list',
    guards: items.flatMap(({ guards }) => guards),
    fails: items.some(({ fails }) => fails),
    ...(literals.every((value) => value !== undefined) ? { literal: literals } : {}),
  });
}

function dict(node: NodeOf<'dict'>, converter: Converter): Piece {
  const entries = node.entries.map(({ key, value }) => {
    const name = converter.convert(key, converter);
    if (typeof name.literal !== 'string') return unsupported('a key that is not a text', 'write keys as texts', key);
    return [name.literal, converter.convert(value, converter)] as const;
  });
  const isLiteral = entries.every(([, value]) => value.literal !== undefined);
  return piece(
    `{${entries.map(([key, value]) => `${literalText(key)}: ${atLevel(value, level.conditional)}`).join(', ')}}`,
    level.chain,
    {
      kind: 'map',
      guards: entries.flatMap(([, value]) => value.guards),
      fails: entries.some(([, value]) => value.fails),
      ...(isLiteral ? { literal: Object.fromEntries(entries.map(([key, value]) => [key, value.literal ?? null])) } : {}),
    },
  );
}
