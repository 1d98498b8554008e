import { PythonProblem, type Range } from './syntax.ts';

/** Token of a Python expression. */
export type Token = Range &
  (
    | { readonly kind: 'name' | 'sign'; readonly text: string }
    | { readonly kind: 'number'; readonly text: string; readonly value: number; readonly isFloat: boolean }
    | { readonly kind: 'text'; readonly text: string; readonly value: string }
    | { readonly kind: 'end'; readonly text: '' }
  );

/** Maximum length of a condition, in UTF-16 units. */
const maxSource = 8_000;

const blank = /[ \t\f]+|#[^\n]*|\\\r?\n/y;
const lineBreak = /\r?\n/y;
const name = /[\p{L}_][\p{L}\p{N}_]*/uy;
const number = /0[xX][\da-fA-F]+|0[oO][0-7]+|0[bB][01]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?/y;
const sign = /\*\*|\/\/|==|!=|<=|>=|:=|->|<<|>>|[-+*/%<>()[\]{},.:=!&|^~@;]/y;
const quote = /([rRuUbBfF]{0,2})('''|"""|'|")/y;

/** Splits a Python expression into tokens. Line breaks count only outside brackets, where they end an expression. */
export function tokenize(source: string): readonly Token[] {
  if (source.length > maxSource)
    throw new PythonProblem(`the condition has ${source.length} characters, the limit is ${maxSource}`, 'split it', { start: 0 });
  const tokens: Token[] = [];
  let depth = 0;
  let at = /^\s*/.exec(source)?.[0].length ?? 0;
  const end = source.trimEnd().length;
  while (at < end) {
    const skipped = match(blank, source, at) ?? (depth > 0 ? match(lineBreak, source, at) : undefined);
    if (skipped !== undefined) {
      at += skipped.length;
      continue;
    }
    if (match(lineBreak, source, at) !== undefined)
      throw new PythonProblem('a line break outside brackets ends a Python expression', 'put the condition into brackets', {
        start: at,
      });
    const token = tokenAt(source, at);
    if (token.kind === 'sign') {
      if (/[([{]/.test(token.text)) depth += 1;
      if (/[)\]}]/.test(token.text)) depth = Math.max(0, depth - 1);
    }
    tokens.push(token);
    at = token.end;
  }
  return [...tokens, { kind: 'end', text: '', start: end, end }];
}

function tokenAt(source: string, start: number): Token {
  if (match(quote, source, start) !== undefined) return textAt(source, start);
  const digits = match(number, source, start);
  if (digits !== undefined) return numberAt(digits, start);
  const word = match(name, source, start);
  if (word !== undefined) return { kind: 'name', text: word, start, end: start + word.length };
  const text = match(sign, source, start);
  if (text !== undefined) return { kind: 'sign', text, start, end: start + text.length };
  throw new PythonProblem(`unexpected character ${JSON.stringify(source[start])}`, 'this is not a Python expression', { start });
}

function numberAt(text: string, start: number): Token {
  const plain = text.replaceAll('_', '');
  const isFloat = !/^0[xXoObB]/.test(plain) && /[.eE]/.test(plain);
  const value = Number(plain);
  if (!Number.isFinite(value) || (!isFloat && !Number.isSafeInteger(value)) || /^0\d/.test(plain))
    throw new PythonProblem(`the number ${text} cannot be represented exactly`, 'write a smaller number', { start });
  return { kind: 'number', text, value, isFloat, start, end: start + text.length };
}

function textAt(source: string, start: number): Token {
  quote.lastIndex = start;
  const [opening = '', prefix = '', mark = ''] = quote.exec(source) ?? [];
  if (/[bBfF]/.test(prefix)) {
    const what = /[bB]/.test(prefix) ? 'bytes' : 'a formatted text';
    throw new PythonProblem(`${prefix}${mark}…${mark} is ${what}`, "join texts with `+`: 'a' + string(b)", { start });
  }
  const isRaw = /[rR]/.test(prefix);
  let value = '';
  let at = start + opening.length;
  while (!source.startsWith(mark, at)) {
    if (at >= source.length || (mark.length === 1 && source[at] === '\n'))
      throw new PythonProblem('the text is never closed', `close it with ${mark}`, { start });
    if (source[at] !== '\\') {
      value += source[at];
      at += 1;
      continue;
    }
    const escape = isRaw ? { length: 2, text: source.slice(at, at + 2) } : escapeAt(source, at);
    value += escape.text;
    at += escape.length;
  }
  const end = at + mark.length;
  return { kind: 'text', text: source.slice(start, end), value, start, end };
}

const simpleEscapes: Readonly<Record<string, string>> = {
  '\\': '\\',
  "'": "'",
  '"': '"',
  '\n': '',
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

function escapeAt(source: string, at: number): { readonly length: number; readonly text: string } {
  const rest = source.slice(at, at + 10);
  const code = /^\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{1,3}))/.exec(rest);
  if (code !== null) {
    const octal = code[4];
    const point = octal === undefined ? Number.parseInt(code[1] ?? code[2] ?? code[3] ?? '0', 16) : Number.parseInt(octal, 8);
    if (point <= 0x10_ff_ff) return { length: code[0].length, text: String.fromCodePoint(point) };
  }
  const next = source[at + 1] ?? '';
  if (Object.hasOwn(simpleEscapes, next)) return { length: 2, text: simpleEscapes[next] ?? '' };
  if (next === 'N') throw new PythonProblem('a character given by its name', 'write the character itself', { start: at });
  // Python keeps a backslash that starts no escape.
  return { length: 2, text: `\\${next}` };
}

function match(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}

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
