import type { StaticType } from '../compile/compiler.ts';
import type { Evaluation } from '../evaluation.ts';

/** Type of a parameter; null passes as the empty text, list or map where one is wanted. */
export type ParameterKind = 'any' | 'number' | 'string' | 'list' | 'map';

/** A function of the language; pure, and charging the evaluation for the data it touches. */
export interface ExpressionFunction {
  readonly name: string;
  readonly parameters: readonly ParameterKind[];
  /** Number of optional parameters, at the end. */
  readonly optional?: number;
  readonly returns: StaticType;
  /** True when `receiver.name(…)` is allowed, too. */
  readonly method?: boolean;
  /** True when only `receiver.name(…)` is allowed. */
  readonly methodOnly?: boolean;
  /** Indexes of parameters for which a missing value is an answer, also below a `required` root; the others fail. */
  readonly asksIfThere?: readonly number[];
  /** Returns, for a number of arguments, the index of the one that the result comes from: with that one, the result is missing. */
  readonly passes?: (given: number) => number;
  /** Receives arguments that fit `parameters`; throws a failure for values it cannot handle. */
  run(args: readonly unknown[], evaluation: Evaluation): unknown;
}

/** Returns an argument that its parameter kind guarantees to be a text. */
export function textArgument(args: readonly unknown[], index: number): string {
  const value = args[index];
  return typeof value === 'string' ? value : '';
}

/** Returns an argument that its parameter kind guarantees to be a list. */
export function listArgument(args: readonly unknown[], index: number): readonly unknown[] {
  const value = args[index];
  return Array.isArray(value) ? value : [];
}

/** Returns an argument that its parameter kind guarantees to be a number; the fallback when it is absent. */
export function numberArgument(args: readonly unknown[], index: number, fallback: number): number {
  const value = args[index];
  return typeof value === 'number' ? value : fallback;
}
