import { PythonProblem } from './syntax.ts';
import type { Token } from './tokenize.ts';

const unsupported: Readonly<Record<string, string>> = {
  lambda: 'write the condition without it, or compute the value in a tool',
  await: 'a condition cannot wait',
  yield: 'a condition cannot yield',
  async: 'a condition cannot wait',
  ':=': 'write the value in both places',
  '**': 'multiply',
  '//': 'write int(a / b), or compare a with a multiple of b',
  '~': 'bits are not supported',
  '&': 'write `and`',
  '|': 'write `or`',
  '^': 'bits are not supported',
  '<<': 'bits are not supported',
  '>>': 'bits are not supported',
  '@': 'matrices are not supported',
  '=': 'write `==` to compare',
  ';': 'a condition is one expression',
  '!': 'write `not`',
};

/** Walks through the tokens of an expression. */
export class Cursor {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** Current token; stays at `end` after the last one. */
  get peek(): Token {
    return this.#tokens[this.#at] ?? { kind: 'end', text: '', start: 0, end: 0 };
  }

  /** True when all tokens were consumed. */
  get isAtEnd(): boolean {
    return this.peek.kind === 'end';
  }

  /** Consumes the current token. */
  next(): Token {
    const token = this.peek;
    if (token.kind !== 'end') this.#at += 1;
    return token;
  }

  /** True when the current token is this word or sign. */
  is(text: string): boolean {
    const token = this.peek;
    return (token.kind === 'name' || token.kind === 'sign') && token.text === text;
  }

  /** Consumes the current token if it is this word or sign. */
  take(text: string): boolean {
    if (!this.is(text)) return false;
    this.#at += 1;
    return true;
  }

  /** Consumes the current token, which must be this word or sign. */
  expect(text: string): Token {
    if (!this.is(text)) throw this.unexpected(text);
    return this.next();
  }

  /** Returns the problem of an unexpected token. */
  unexpected(wanted?: string): PythonProblem {
    const token = this.peek;
    const hint = token.kind !== 'text' && Object.hasOwn(unsupported, token.text) ? unsupported[token.text] : undefined;
    const found = token.kind === 'end' ? 'the end' : `\`${token.text}\``;
    const message = wanted === undefined ? `unexpected ${found}` : `expected \`${wanted}\`, found ${found}`;
    return new PythonProblem(message, hint ?? 'this part of Python is not converted; write the condition in CEL', token);
  }

  /** Steps back to the token that was just consumed. */
  back(token: Token): void {
    if (token.kind !== 'end') this.#at -= 1;
  }

  /** Skips the `name=` of a named argument. */
  skipNamed(name: string): void {
    if (this.is(name) && this.#tokens[this.#at + 1]?.text === '=') this.#at += 2;
  }
}
