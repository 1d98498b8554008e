import { PythonProblem, type Comparison, type Loop, type NodeOf, type PythonNode } from './syntax.ts';
import { tokenize, type Token, Cursor } from './tokenize.ts';

/** Maximum nesting of brackets and operators. */
const maxDepth = 48;

const comparisons: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);

/** Parses a Python expression; throws a `PythonProblem` at invalid syntax, or at syntax outside what conditions use. */
export function parsePython(source: string): PythonNode {
  const parser = new Parser(new Cursor(tokenize(source)));
  return parser.parse();
}

/** Recursive descent parser, one method per level of precedence, lowest first. */
class Parser {
  readonly #cursor: Cursor;
  #depth = 0;

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
  }

  parse(): PythonNode {
    if (this.#cursor.isAtEnd) throw new PythonProblem('the condition is empty', 'write True, or leave it out', this.#cursor.peek);
    const node = this.#expression();
    if (!this.#cursor.isAtEnd) throw this.#cursor.unexpected();
    return node;
  }

  /** Parses a conditional expression, `a if test else b`, or a simpler one. */
  #expression(): PythonNode {
    this.#depth += 1;
    if (this.#depth > maxDepth)
      throw new PythonProblem(`nested deeper than ${maxDepth} levels`, 'compute parts of it in an observer', this.#cursor.peek);
    const then = this.#or();
    this.#depth -= 1;
    if (!this.#cursor.take('if')) return then;
    const test = this.#or();
    this.#cursor.expect('else');
    const otherwise = this.#expression();
    return { kind: 'conditional', test, then, otherwise, start: then.start, end: otherwise.end };
  }

  #or(): PythonNode {
    let left = this.#and();
    while (this.#cursor.take('or')) {
      const right = this.#and();
      left = { kind: 'or', left, right, start: left.start, end: right.end };
    }
    return left;
  }

  #and(): PythonNode {
    let left = this.#not();
    while (this.#cursor.take('and')) {
      const right = this.#not();
      left = { kind: 'and', left, right, start: left.start, end: right.end };
    }
    return left;
  }

  #not(): PythonNode {
    const { start } = this.#cursor.peek;
    let count = 0;
    while (this.#cursor.take('not')) count += 1;
    let node = this.#comparison();
    for (; count > 0; count -= 1) node = { kind: 'not', operand: node, start, end: node.end };
    return node;
  }

  /** Parses comparisons; `a < b < c` becomes `a < b and b < c`. */
  #comparison(): PythonNode {
    let left = this.#sum();
    let result: PythonNode | undefined;
    for (let operator = this.#operator(); operator !== undefined; operator = this.#operator()) {
      const right = this.#sum();
      const pair: PythonNode = { kind: 'compare', operator, left, right, start: left.start, end: right.end };
      result = result === undefined ? pair : { kind: 'and', left: result, right: pair, start: result.start, end: pair.end };
      left = right;
    }
    return result ?? left;
  }

  #operator(): Comparison | undefined {
    const { kind, text } = this.#cursor.peek;
    if (kind === 'sign' && comparisons.has(text)) return this.#cursor.next().text as Comparison;
    if (this.#cursor.take('in')) return 'in';
    if (this.#cursor.take('is')) return this.#cursor.take('not') ? 'is not' : 'is';
    if (!this.#cursor.is('not')) return undefined;
    this.#cursor.next();
    this.#cursor.expect('in');
    return 'not in';
  }

  #sum(): PythonNode {
    let left = this.#product();
    while (this.#cursor.is('+') || this.#cursor.is('-'))
      left = this.#arithmetic(left, this.#cursor.next().text as '+' | '-', this.#product());
    return left;
  }

  #product(): PythonNode {
    let left = this.#unary();
    while (this.#cursor.is('*') || this.#cursor.is('/') || this.#cursor.is('%'))
      left = this.#arithmetic(left, this.#cursor.next().text as '*' | '/' | '%', this.#unary());
    return left;
  }

  #arithmetic(left: PythonNode, operator: '+' | '-' | '*' | '/' | '%', right: PythonNode): PythonNode {
    return { kind: 'arithmetic', operator, left, right, start: left.start, end: right.end };
  }

  #unary(): PythonNode {
    const { start } = this.#cursor.peek;
    let count = 0;
    while (this.#cursor.is('-') || this.#cursor.is('+')) if (this.#cursor.next().text === '-') count += 1;
    const operand = this.#postfix();
    return count % 2 === 0 ? operand : { kind: 'minus', operand, start, end: operand.end };
  }

  #postfix(): PythonNode {
    let node = this.#atom();
    for (let links = 0; ; links += 1) {
      if (links > maxDepth) throw new PythonProblem('the chain is too long', 'compute parts of it in an observer', node);
      if (this.#cursor.take('.')) {
        const name = this.#cursor.next();
        if (name.kind !== 'name') throw new PythonProblem('expected a name after `.`', 'write the name of a method', name);
        node = { kind: 'attribute', object: node, name: name.text, start: node.start, end: name.end };
      } else if (this.#cursor.is('(')) {
        node = this.#call(node);
      } else if (this.#cursor.is('[')) {
        node = this.#subscript(node);
      } else {
        return node;
      }
    }
  }

  #call(callee: PythonNode): PythonNode {
    this.#cursor.expect('(');
    const args: PythonNode[] = [];
    while (!this.#cursor.is(')')) {
      // Conditions use only one named argument: get_nested_value_from_context(…, default=…).
      this.#cursor.skipNamed('default');
      const element = this.#expression();
      args.push(this.#cursor.is('for') ? this.#comprehension(element, 'generator') : element);
      if (!this.#cursor.take(',')) break;
    }
    const { end } = this.#cursor.expect(')');
    return { kind: 'call', callee, args, start: callee.start, end };
  }

  #subscript(object: PythonNode): PythonNode {
    this.#cursor.expect('[');
    const from = this.#cursor.is(':') ? undefined : this.#expression();
    if (from !== undefined && this.#cursor.is(']'))
      return { kind: 'index', object, index: from, start: object.start, end: this.#cursor.next().end };
    this.#cursor.expect(':');
    const to = this.#cursor.is(']') || this.#cursor.is(':') ? undefined : this.#expression();
    if (this.#cursor.is(':')) throw new PythonProblem('a slice with a step', 'leave the step out', this.#cursor.peek);
    const { end } = this.#cursor.expect(']');
    return {
      kind: 'slice',
      object,
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      start: object.start,
      end,
    };
  }

  #atom(): PythonNode {
    const token = this.#cursor.next();
    const { start, end } = token;
    switch (token.kind) {
      case 'number':
        return { kind: 'literal', value: token.value, isFloat: token.isFloat, start, end };
      case 'text':
        return this.#texts(token.value, start, end);
      case 'name':
        return this.#named(token);
      case 'sign':
        if (token.text === '(') return this.#bracket(start);
        if (token.text === '[') return this.#list(start);
        if (token.text === '{') return this.#braces(start);
        break;
      case 'end':
        break;
    }
    this.#cursor.back(token);
    throw this.#cursor.unexpected();
  }

  /** Joins adjacent texts into one. */
  #texts(first: string, start: number, firstEnd: number): PythonNode {
    let value = first;
    let end = firstEnd;
    for (let token = this.#cursor.peek; token.kind === 'text'; token = this.#cursor.peek) {
      value += token.value;
      ({ end } = this.#cursor.next());
    }
    return { kind: 'literal', value, start, end };
  }

  #named(token: Token): PythonNode {
    const { text: name, start, end } = token;
    if (name === 'None') return { kind: 'literal', value: null, start, end };
    if (name === 'True' || name === 'False') return { kind: 'literal', value: name === 'True', start, end };
    if (/^(?:lambda|await|yield|async|if|else|for|in|is|and|or)$/.test(name)) {
      this.#cursor.back(token);
      throw this.#cursor.unexpected();
    }
    return { kind: 'name', name, start, end };
  }

  #bracket(start: number): PythonNode {
    if (this.#cursor.is(')')) return { kind: 'tuple', items: [], start, end: this.#cursor.next().end };
    const first = this.#expression();
    if (this.#cursor.is('for')) {
      const node = this.#comprehension(first, 'generator');
      return { ...node, start, end: this.#cursor.expect(')').end };
    }
    if (this.#cursor.take(')')) return first;
    const items = [first];
    while (this.#cursor.take(',')) if (!this.#cursor.is(')')) items.push(this.#expression());
    return { kind: 'tuple', items, start, end: this.#cursor.expect(')').end };
  }

  #list(start: number): PythonNode {
    if (this.#cursor.is(']')) return { kind: 'list', items: [], start, end: this.#cursor.next().end };
    const first = this.#expression();
    if (this.#cursor.is('for')) {
      const node = this.#comprehension(first, 'list');
      return { ...node, start, end: this.#cursor.expect(']').end };
    }
    const items = [first];
    while (this.#cursor.take(',')) if (!this.#cursor.is(']')) items.push(this.#expression());
    return { kind: 'list', items, start, end: this.#cursor.expect(']').end };
  }

  #braces(start: number): PythonNode {
    if (this.#cursor.is('}')) return { kind: 'dict', entries: [], start, end: this.#cursor.next().end };
    const first = this.#expression();
    if (!this.#cursor.take(':')) {
      const items = [first];
      while (this.#cursor.take(',')) if (!this.#cursor.is('}')) items.push(this.#expression());
      return { kind: 'set', items, start, end: this.#cursor.expect('}').end };
    }
    const entries = [{ key: first, value: this.#expression() }];
    while (this.#cursor.take(',')) {
      if (this.#cursor.is('}')) break;
      const key = this.#expression();
      this.#cursor.expect(':');
      entries.push({ key, value: this.#expression() });
    }
    return { kind: 'dict', entries, start, end: this.#cursor.expect('}').end };
  }

  #comprehension(element: PythonNode, form: 'generator' | 'list'): NodeOf<'comprehension'> {
    this.#cursor.expect('for');
    const names: string[] = [];
    const isBracketed = this.#cursor.take('(');
    do {
      const name = this.#cursor.next();
      if (name.kind !== 'name') throw new PythonProblem('expected the name of a loop variable', 'use plain names', name);
      names.push(name.text);
    } while (this.#cursor.take(','));
    if (isBracketed) this.#cursor.expect(')');
    this.#cursor.expect('in');
    const iterable = this.#or();
    const conditions: PythonNode[] = [];
    while (this.#cursor.take('if')) conditions.push(this.#or());
    if (this.#cursor.is('for'))
      throw new PythonProblem('a loop in a loop', 'write any(any(…) for …), or compute it in a tool', this.#cursor.peek);
    const loop: Loop = { names, iterable, conditions };
    return { kind: 'comprehension', form, element, loop, start: element.start, end: (conditions.at(-1) ?? iterable).end };
  }
}
