import type { StaticType } from '../compile/compiler.ts';
import type { Evaluation } from '../evaluation.ts';

/** What a parameter takes; null stands for the empty text, list or map where one is wanted. */
export type ParameterKind = 'any' | 'number' | 'string' | 'list' | 'map';

/** A function of the language; pure, and charging the evaluation for the data it touches. */
export interface ExpressionFunction {
  readonly name: string;
  readonly parameters: readonly ParameterKind[];
  /** How many of the last parameters may be left out. */
  readonly optional?: number;
  readonly returns: StaticType;
  /** Whether it may also be written `receiver.name(…)`. */
  readonly method?: boolean;
  /** Whether it may only be written `receiver.name(…)`. */
  readonly methodOnly?: boolean;
  /** Gets arguments that fit `parameters`; throws a failure for values it cannot work with. */
  run(args: readonly unknown[], evaluation: Evaluation): unknown;
}

/** An argument that the parameter kind made a text. */
export function textArgument(args: readonly unknown[], index: number): string {
  const value = args[index];
  return typeof value === 'string' ? value : '';
}

/** An argument that the parameter kind made a list. */
export function listArgument(args: readonly unknown[], index: number): readonly unknown[] {
  const value = args[index];
  return Array.isArray(value) ? value : [];
}

/** An argument that the parameter kind made a number; the fallback when it was left out. */
export function numberArgument(args: readonly unknown[], index: number, fallback: number): number {
  const value = args[index];
  return typeof value === 'number' ? value : fallback;
}
