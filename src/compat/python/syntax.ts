/** Range in a Python source, in UTF-16 units. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Operator of a comparison. */
export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in' | 'is' | 'is not';

/** One `for … in … if …` of a comprehension or generator. */
export interface Loop {
  /** One name, or two before `.items()`. */
  readonly names: readonly string[];
  readonly iterable: PythonNode;
  readonly conditions: readonly PythonNode[];
}

/** Python expression, limited to the syntax that conditions use. */
export type PythonNode = Range &
  (
    | { readonly kind: 'literal'; readonly value: string | number | boolean | null; readonly isFloat?: boolean }
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'attribute'; readonly object: PythonNode; readonly name: string }
    | { readonly kind: 'call'; readonly callee: PythonNode; readonly args: readonly PythonNode[] }
    | { readonly kind: 'index'; readonly object: PythonNode; readonly index: PythonNode }
    | { readonly kind: 'slice'; readonly object: PythonNode; readonly from?: PythonNode; readonly to?: PythonNode }
    | { readonly kind: 'not'; readonly operand: PythonNode }
    | { readonly kind: 'minus'; readonly operand: PythonNode }
    | {
        readonly kind: 'arithmetic';
        readonly operator: '+' | '-' | '*' | '/' | '%';
        readonly left: PythonNode;
        readonly right: PythonNode;
      }
    | { readonly kind: 'and' | 'or'; readonly left: PythonNode; readonly right: PythonNode }
    | { readonly kind: 'compare'; readonly operator: Comparison; readonly left: PythonNode; readonly right: PythonNode }
    | { readonly kind: 'conditional'; readonly test: PythonNode; readonly then: PythonNode; readonly otherwise: PythonNode }
    | { readonly kind: 'list' | 'tuple' | 'set'; readonly items: readonly PythonNode[] }
    | { readonly kind: 'dict'; readonly entries: readonly { readonly key: PythonNode; readonly value: PythonNode }[] }
    | { readonly kind: 'comprehension'; readonly form: 'generator' | 'list'; readonly element: PythonNode; readonly loop: Loop }
  );

/** Node of one kind. */
export type NodeOf<Kind extends PythonNode['kind']> = Extract<PythonNode, { readonly kind: Kind }>;

/** Part of a condition that cannot be converted: thrown while parsing or converting, caught by `convertCondition`. */
export class PythonProblem extends Error {
  readonly start: number;
  /** Recommended replacement. */
  readonly hint: string;

  constructor(message: string, hint: string, at: { readonly start: number }) {
    super(message);
    this.name = 'PythonProblem';
    this.start = at.start;
    this.hint = hint;
  }
}
