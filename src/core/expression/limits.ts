import type { ExpressionProblem } from './problem.ts';
import type { Token } from './scan.ts';

/** Longest source of one expression, in UTF-16 units. */
export const MAX_SOURCE = 2048;

/** Deepest nesting of brackets, of conditionals and of `!` or `-` in a row. */
export const MAX_NESTING = 32;

/** Most syntax nodes in one expression. */
export const MAX_NODES = 1000;

/** Finds a source that is too long; checked before the text is scanned. */
export function findTooLong(source: string): ExpressionProblem | undefined {
  if (source.length <= MAX_SOURCE) return undefined;
  return {
    message: `the expression is ${source.length} characters long, ${MAX_SOURCE} are allowed`,
    start: MAX_SOURCE,
    end: source.length,
    hint: 'keep a condition short; compute the value in an observer or a tool and store it in state',
  };
}

/** Finds the first place nested too deeply; checked before parsing, so that the parser's recursion is bounded. */
export function findTooDeep(tokens: readonly Token[]): ExpressionProblem | undefined {
  let depth = 0;
  let unary = 0;
  let conditionals = 0;
  for (const token of tokens) {
    if (token.kind !== 'sign') {
      unary = 0;
      continue;
    }
    const { text } = token;
    if (text === '(' || text === '[' || text === '{') depth += 1;
    else if (text === ')' || text === ']' || text === '}') depth -= 1;
    else if (text === '?') conditionals += 1;
    unary = text === '!' || text === '-' ? unary + 1 : text === '--' ? unary + 2 : 0;
    if (Math.max(depth, unary, conditionals) > MAX_NESTING) {
      return {
        message: `the expression is nested deeper than ${MAX_NESTING} levels`,
        start: token.start,
        end: token.end,
      };
    }
  }
  return undefined;
}
