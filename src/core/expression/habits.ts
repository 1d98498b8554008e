import type { ExpressionProblem } from './problem.ts';
import type { Token } from './scan.ts';

// Common spellings of Python and JavaScript in conditions, with their replacements.
const words: Readonly<Record<string, string>> = {
  and: 'write `&&`',
  or: 'write `||`',
  not: 'write `!x`; for "not in" write `!(x in list)`',
  is: 'write `==` or `!=`, for example `x == null`',
  None: 'write `null`',
  True: 'write `true`',
  False: 'write `false`',
  undefined: 'write `null`; a missing value is null',
  if: 'write `condition ? a : b`',
  else: 'write `condition ? a : b`',
  lambda: 'write `list.map(x, …)` or `list.filter(x, …)`',
  typeof: 'compare with a value, or use `x == null`',
};

const signs: Readonly<Record<string, string>> = {
  '=': 'write `==` to compare; an expression cannot assign',
  ':=': 'write `==` to compare; an expression cannot assign',
  '===': 'write `==`',
  '!==': 'write `!=`',
  '&': 'write `&&`',
  '|': 'write `||`',
  '??': 'write `default(x, fallback)`',
  '?.': 'write `.`: a field of null is null',
  '=>': 'write `list.map(x, …)`, `list.filter(x, …)`, `list.exists(x, …)` or `list.all(x, …)`',
  '`': "write a text in quotes: 'text'",
  '**': 'powers are not supported; multiply',
  '...': 'spreads are not supported; join lists with `+`',
};

// Functions and methods of other languages, with their replacements.
const calls: Readonly<Record<string, string>> = {
  get_nested_value_from_context: "write the path: `state.current_action` or `v['state.current_action']`",
  and: 'write `&&`',
  or: 'write `||`',
  not: 'write `!x`',
  str: 'write `string(x)`',
  float: 'write `number(x)`',
  any: 'write `list.exists(x, …)`',
  isinstance: 'compare with a value, or use `x == null`',
  bytes: 'bytes are not supported',
  eval: 'an expression cannot run code',
};

const methods: Readonly<Record<string, string>> = {
  get: "write `get(map, 'key')`, `default(map.key, fallback)` or just `map.key`: a missing field is null",
  strip: 'write `x.trim()`',
  includes: 'write `x.contains(y)` or `y in x`',
  some: 'write `list.exists(x, …)`',
  every: 'write `list.all(x, …)`',
  find: 'write `first(list.filter(x, …))`',
  length: 'write `size(x)`',
  count: 'write `size(list.filter(x, …))`',
  items: 'write `keys(map)` or `values(map)`',
  append: 'write `list + [x]`',
  push: 'write `list + [x]`',
  concat: 'write `a + b`',
  toString: 'write `string(x)`',
};

/** Finds spellings of other languages in a source that fails to parse, each with its hint. */
export function findHabits(tokens: readonly Token[]): readonly ExpressionProblem[] {
  const problems: ExpressionProblem[] = [];
  for (const [index, token] of tokens.entries()) {
    const isField = tokens[index - 1]?.text === '.';
    const hint =
      token.kind === 'word' && !isField ? wordHint(token.text) : token.kind === 'sign' ? signHint(token.text) : undefined;
    if (hint === undefined) continue;
    problems.push({
      message: `\`${token.text}\` is not part of the expression language`,
      start: token.start,
      end: token.end,
      hint,
    });
  }
  return problems;
}

/** Returns the hint for a word that other languages use as a name or operator. */
export function wordHint(word: string): string | undefined {
  return Object.hasOwn(words, word) ? words[word] : undefined;
}

/** Returns the hint for a function of another language. */
export function callHint(name: string): string | undefined {
  return Object.hasOwn(calls, name) ? calls[name] : undefined;
}

/** Returns the hint for a method of another language. */
export function methodHint(name: string): string | undefined {
  return Object.hasOwn(methods, name) ? methods[name] : undefined;
}

function signHint(text: string): string | undefined {
  return Object.hasOwn(signs, text) ? signs[text] : undefined;
}
